#include "session/fenced_store.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

namespace holdfast::session {

namespace {

std::unexpected<Error> denied(const Fence& fence, std::string_view root) {
  std::string what = root.empty() ? "this token works in certain projects, and the session would belong to none"
                                  : fmt::format("this token may not work in {}", root);
  return fail(ErrorKind::refused, std::move(what), fmt::format("give root: {}", fmt::join(fence, " or ")), "project_denied");
}

class FencedTransaction final : public FencedReads<Transaction> {
 public:
  FencedTransaction(Transaction& inner, const Fence& fence) : inner_(inner), fence_(fence) {}

  Millis now() const override { return inner_.now(); }

  Result<SessionRecord> create(SessionRecord record) override {
    if (!allows(record.root_uri)) return denied(fence_, record.root_uri);
    for (const std::string& root : record.linked_roots)
      if (!allows(root)) return denied(fence_, root);
    return inner_.create(std::move(record));
  }
  Result<SessionRecord> update(SessionRecord record, Touch touch) override {
    HF_TRY(const SessionRecord stored, get(record.id));
    const std::vector<std::string> before = roots_of(stored);
    for (const std::string& root : roots_of(record))
      if (!allows(root) && std::ranges::find(before, root) == before.end()) return denied(fence_, root);
    if (!is_inside(fence_, record)) return denied(fence_, record.root_uri);
    return inner_.update(std::move(record), touch);
  }
  Result<void> note_access(std::string_view id) override {
    HF_CHECK(need(id));
    return inner_.note_access(id);
  }
  Result<std::string> refresh_due(std::string_view after_id, std::size_t limit) override {
    return inner_.refresh_due(after_id, limit);
  }
  Result<Appended> append(std::string_view session, NewEntry entry) override {
    HF_CHECK(need(session));
    return inner_.append(session, std::move(entry));
  }
  Result<void> redact(std::string_view session, std::int64_t seq, std::string text, std::string data) override {
    HF_CHECK(need(session));
    return inner_.redact(session, seq, std::move(text), std::move(data));
  }
  Result<void> purge(std::string_view session, std::string_view reason) override {
    HF_CHECK(need(session));
    return inner_.purge(session, reason);
  }
  void scrub() override { inner_.scrub(); }
  Result<LineageEvent> add_lineage(LineageEvent event) override {
    for (const std::string& id : {event.child, event.parent})
      if (is_outside(id)) return no_such_session(id);
    return inner_.add_lineage(std::move(event));
  }
  Result<KeyedValue> put(std::string_view space, std::string_view key, const Json& value, Expect expect,
                         std::optional<Millis> expires_at) override {
    return inner_.put(space, key, value, expect, expires_at);
  }
  Result<bool> erase(std::string_view space, std::string_view key, Expect expect) override {
    return inner_.erase(space, key, expect);
  }
  Result<std::int64_t> purge_expired(std::size_t limit) override { return inner_.purge_expired(limit); }
  Result<Lease> acquire_lease(std::string_view name, const LeaseOwner& owner, Millis ttl) override {
    return inner_.acquire_lease(name, owner, ttl);
  }
  Result<Lease> renew_lease(std::string_view name, const LeaseOwner& owner, std::int64_t epoch) override {
    return inner_.renew_lease(name, owner, epoch);
  }
  Result<void> require_lease(std::string_view name, const LeaseOwner& owner, std::int64_t epoch) override {
    return inner_.require_lease(name, owner, epoch);
  }
  Result<void> release_lease(std::string_view name, const LeaseOwner& owner, std::int64_t epoch) override {
    return inner_.release_lease(name, owner, epoch);
  }
  void wake() override { inner_.wake(); }

 protected:
  Reader& inner() override { return inner_; }
  const Fence& fence() const override { return fence_; }

 private:
  bool allows(const std::string& root) const { return std::ranges::find(fence_, root) != fence_.end(); }

  Transaction& inner_;
  const Fence& fence_;
};

}  // namespace

std::unexpected<Error> no_such_session(std::string_view id) {
  return fail(ErrorKind::not_found, fmt::format("there is no session {}", id));
}

bool narrow_to(const Fence& fence, std::vector<std::string>& roots, bool& rootless) {
  const bool asked_for_some = !roots.empty() || rootless;
  rootless = false;
  if (!asked_for_some) {
    roots = fence;
    return true;
  }
  std::erase_if(roots, [&](const std::string& root) { return std::ranges::find(fence, root) == fence.end(); });
  return !roots.empty();
}

std::vector<LineageEvent> connected_with(std::string_view session, std::vector<LineageEvent> events) {
  std::set<std::string, std::less<>> reached{std::string(session)};
  std::map<std::int64_t, LineageEvent> kept;
  for (bool grows = true; grows;) {
    grows = false;
    std::vector<LineageEvent> left;
    for (LineageEvent& event : events) {
      if (!reached.contains(event.child) && !reached.contains(event.parent)) {
        left.push_back(std::move(event));
        continue;
      }
      grows = true;
      for (const std::string& id : {event.child, event.parent})
        if (!id.empty()) reached.insert(id);
      kept.try_emplace(event.number, std::move(event));
    }
    events = std::move(left);
  }
  std::vector<LineageEvent> ordered;
  for (auto& [number, event] : kept) ordered.push_back(std::move(event));
  return ordered;
}

Result<SearchResult> FencedStore::search(const SearchQuery& query) {
  if (fence().empty()) return inner_.search(query);
  SearchQuery narrow = query;
  if (!narrow_to(fence(), narrow.roots, narrow.rootless)) return SearchResult{};
  return inner_.search(narrow);
}

Result<std::vector<SessionRecord>> FencedStore::get_each(const std::vector<std::string>& ids) {
  return fence().empty() ? inner_.get_each(ids) : Store::get_each(ids);
}

Result<std::vector<Entry>> FencedStore::entry_each(const std::vector<EntryPlace>& places) {
  return fence().empty() ? inner_.entry_each(places) : Store::entry_each(places);
}

Result<Verification> FencedStore::verify(std::string_view session) {
  HF_CHECK(need(session));
  return inner_.verify(session);
}

Result<Integrity> FencedStore::integrity() {
  if (fence().empty()) return inner_.integrity();
  return fail(ErrorKind::refused, "this token works in certain projects, and this would look at all of them",
              "verify one session, or use a token without projects", "project_denied");
}

Result<std::unique_ptr<Subscription>> FencedStore::subscribe(SubscribeOptions options) {
  if (!fence().empty()) HF_CHECK(need(options.session));
  return inner_.subscribe(std::move(options));
}

Result<std::vector<Event>> FencedStore::events_after(std::int64_t sequence, std::size_t limit) {
  HF_TRY(auto events, inner_.events_after(sequence, limit));
  if (!fence().empty()) std::erase_if(events, [this](const Event& event) { return !get(event.session); });
  return events;
}

Result<void> FencedStore::run(const Work& work) {
  if (current_fence().empty()) return inner_.write([&](Transaction& transaction) { return work(transaction); });
  const Fence fence = current_fence();
  return inner_.write([&](Transaction& transaction) {
    FencedTransaction fenced(transaction, fence);
    return work(fenced);
  });
}

}  // namespace holdfast::session
