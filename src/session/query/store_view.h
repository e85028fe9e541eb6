#pragma once

// The store as one identity sees it, and the only way to get one.
//
// A server works for many callers at once, over one store. It holds that as a SharedStore, which nobody can read or write: there
// is nothing in it to call. Whoever works makes a StoreView first and says as whom; a thread, a task, a stream or a search that
// was given no view has no store. So forgetting to say who asks does not compile, instead of showing everything. Every surface
// makes its views in one place (docs/decisions/0013-who-sees-what.md).
//
// Of a view a session exists when it belongs to the view's principal and, when the identity is held to projects, when its root,
// or one it is linked to, is one of them; every other is not_found, as if it had never been, whatever is asked of it. Making one
// for somebody else, or elsewhere, is refused with code project_denied, or principal_denied. Keyed values, leases and blobs pass:
// they name no project, and whoever keeps something about sessions there looks at the sessions themselves. What speaks of
// everybody (integrity, numbers of the whole store, the sweep's steps) is refused.
//
// Work that is nobody's call is the server's own: it names itself (SystemWork) and gets the whole store.

#include "base/identity.h"
#include "session/store.h"

#include <cstdint>
#include <mutex>
#include <string>

namespace holdfast::session {

// All that a server does with everybody's sessions. What serves one caller is not among it.
enum class SystemWork : std::uint8_t {
  protocol,   // what the protocol layer keeps between requests: tasks, messages, streams, transport sessions. Keyed values alone
  gateway,    // who is let in; health and metrics; whom a change is for, before it is told to those who may hear of it
  sweep,      // clocks: what is due by itself, and what has expired
  research,   // which runs were left by their workers, and whose they are; working them is their owner's
  documents,  // what is known of proposed changes, which several owners share who review one folder; and their sessions' logs
  storage     // the page that an administrator asks how the store is
};

// A value; as small as the reference it is.
class SharedStore {
 public:
  // The store outlives it and its copies.
  explicit SharedStore(Store& whole) : whole_(whole) {}

  Store& for_system(SystemWork) const { return whole_; }
  const std::string& secret() const { return whole_.secret(); }

 private:
  friend class StoreView;
  Store& whole_;
};

// The session that was seen last: what a call asks of one session it asks several times, and its owner never changes.
class SeenLast {
 public:
  bool is(std::string_view id) const {
    const std::lock_guard lock(mutex_);
    return !id_.empty() && id_ == id;
  }
  void set(std::string_view id) {
    const std::lock_guard lock(mutex_);
    id_ = id;
  }

 private:
  mutable std::mutex mutex_;
  std::string id_;
};

// Any thread; the shared store's store outlives it. Usually lives as long as a call.
class StoreView final : public Store {
 public:
  StoreView(const SharedStore& store, Identity who) : inner_(store.whole_), who_(std::move(who)) {}

  Result<SearchResult> search(const SearchQuery& query) override;
  Result<std::vector<SessionRecord>> get_each(const std::vector<std::string>& ids) override;
  Result<std::vector<Entry>> entry_each(const std::vector<EntryPlace>& places) override;
  Result<Verification> verify(std::string_view session) override;
  Result<Integrity> integrity() override;  // refused
  const std::string& secret() const override { return inner_.secret(); }
  Result<StoreInfo> info() override;  // refused
  // Of one session.
  Result<std::unique_ptr<Subscription>> subscribe(SubscribeOptions options) override;
  Result<std::vector<Event>> events_after(std::int64_t sequence, std::size_t limit) override;
  Result<std::int64_t> last_sequence() override { return inner_.last_sequence(); }

 protected:
  Result<void> run(const Work& work) override;
  Result<void> look(Moments moments, const Question& question) override;

 private:
  Store& inner_;
  const Identity who_;
  SeenLast seen_;
};

}  // namespace holdfast::session
