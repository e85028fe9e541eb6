#pragma once

// A store in which a call sees only the sessions of its projects (fence.h).
//
// With a fence on the calling thread, a session exists when its root, or one it is linked to, is one of the fence's projects;
// every other is not_found, as if it had never been, whatever is asked of it. Making one elsewhere, or without a root, or moving
// or linking one elsewhere, is refused with code project_denied. Keyed values, leases and blobs pass: they name no project, and
// whoever keeps something about sessions there looks at the sessions themselves. Without a fence nothing changes and nothing
// costs more than one call.
//
// Whose a session is remains the caller's question (lookup.h). The fence holds for a transaction as it was when write() began,
// because its function may run on another thread. The inner store outlives this.

#include "session/fenced_reads.h"

namespace holdfast::session {

class FencedStore final : public FencedReads<Store> {
 public:
  explicit FencedStore(Store& inner) : inner_(inner) {}

  Result<SearchResult> search(const SearchQuery& query) override;
  Result<std::vector<SessionRecord>> get_each(const std::vector<std::string>& ids) override;
  Result<std::vector<Entry>> entry_each(const std::vector<EntryPlace>& places) override;
  Result<Verification> verify(std::string_view session) override;
  Result<Integrity> integrity() override;  // refused behind a fence: it speaks of everything
  const std::string& secret() const override { return inner_.secret(); }
  Result<StoreInfo> info() override { return inner_.info(); }
  // Behind a fence of one session inside alone.
  Result<std::unique_ptr<Subscription>> subscribe(SubscribeOptions options) override;
  Result<std::vector<Event>> events_after(std::int64_t sequence, std::size_t limit) override;
  Result<std::int64_t> last_sequence() override { return inner_.last_sequence(); }

 protected:
  Result<void> run(const Work& work) override;
  Reader& inner() override { return inner_; }
  const Fence& fence() const override { return current_fence(); }

 private:
  Store& inner_;
};

}  // namespace holdfast::session
