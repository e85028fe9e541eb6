#include "session/query/store_view.h"

#include "session/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace holdfast::session {

namespace {

std::unexpected<Error> denied(const Identity& who, std::string_view root) {
  std::string what = root.empty() ? "this token works in certain projects, and the session would belong to none"
                                  : fmt::format("this token may not work in {}", root);
  return fail(ErrorKind::refused, std::move(what), fmt::format("give root: {}", fmt::join(who.projects, " or ")),
              "project_denied");
}

std::unexpected<Error> not_theirs(const Identity& who, std::string_view owner) {
  return fail(ErrorKind::refused, fmt::format("{} cannot make or change a session of {}", who.principal, owner), {},
              "principal_denied");
}

// Both kinds of queries have them.
template <class Asked>
bool narrow_principal(const Identity& who, Asked& query) {
  if (who.principal.empty() || (query.principal && *query.principal != who.principal)) return false;
  query.principal = who.principal;
  return true;
}

bool narrow_roots(const Identity& who, std::vector<std::string>& roots, bool& rootless) {
  if (who.projects.empty()) return true;
  const bool asked_for_some = !roots.empty() || rootless;
  rootless = false;
  if (!asked_for_some) {
    roots = who.projects;
    return true;
  }
  std::erase_if(roots, [&](const std::string& root) { return !who.may_see(root); });
  return !roots.empty();
}

std::unexpected<Error> no_such_session(std::string_view id) {
  return fail(ErrorKind::not_found, fmt::format("there is no session {}", id));
}

std::unexpected<Error> speaks_of_everybody() {
  return fail(ErrorKind::refused, "this would look at the sessions of everybody", "ask for one session", "principal_denied");
}

bool may_see(const Identity& who, const SessionRecord& record) {
  return !who.principal.empty() && record.principal == who.principal && is_inside(who.projects, record);
}

bool narrow(const Identity& who, Query& query) {
  return narrow_principal(who, query) && narrow_roots(who, query.roots, query.rootless);
}

bool narrow(const Identity& who, SearchQuery& query) {
  return narrow_principal(who, query) && narrow_roots(who, query.roots, query.rootless);
}

bool narrow(const Identity& who, IdQuery& query) {
  bool rootless = false;
  return narrow_principal(who, query) && narrow_roots(who, query.roots, rootless);
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

// Reading as one identity: what it may not see does not exist, in the words in which what never existed does not. Base: Reader or
// Transaction.
template <class Base>
class ViewReads : public Base {
 public:
  // All outlive it.
  ViewReads(Reader& inner, const Identity& who, SeenLast& seen) : who_(who), inner_(inner), seen_(seen) {}

  Result<SessionRecord> get(std::string_view id) override {
    auto record = inner_.get(id);
    if (record && may_see(who_, *record)) {
      seen_.set(id);
      return record;
    }
    if (record) return no_such_session(id);
    if (record.error().code != "gone") return record;
    HF_TRY(const auto stone, tombstone(id));
    if (!stone) return no_such_session(id);
    return record;
  }

  Result<Page> list(const Query& query) override {
    Query narrower = query;
    if (!narrow(who_, narrower)) return Page{{}, query.count ? 0 : kNotCounted, {}};
    return inner_.list(narrower);
  }

  Result<std::vector<std::string>> ids_with_prefix(const IdQuery& query) override {
    IdQuery narrower = query;
    if (!narrow(who_, narrower)) return std::vector<std::string>{};
    return inner_.ids_with_prefix(narrower);
  }

  // Nobody knows any more in which project a purged one was: only who sees all projects hears of it.
  Result<std::optional<Tombstone>> tombstone(std::string_view id) override {
    if (!who_.projects.empty()) return std::nullopt;
    HF_TRY(auto stone, inner_.tombstone(id));
    if (stone && stone->principal != who_.principal) return std::nullopt;
    return stone;
  }

  Result<EntryPage> entries(const EntryQuery& query) override {
    HF_CHECK(need(query.session));
    return inner_.entries(query);
  }
  Result<std::optional<Entry>> entry(std::string_view session, std::int64_t seq) override {
    HF_CHECK(need(session));
    return inner_.entry(session, seq);
  }
  Result<std::optional<Entry>> entry_at(std::string_view session, std::string_view lane, std::int64_t number) override {
    HF_CHECK(need(session));
    return inner_.entry_at(session, lane, number);
  }
  Result<std::optional<Entry>> entry_with_key(std::string_view session, std::string_view idempotency_key) override {
    HF_CHECK(need(session));
    return inner_.entry_with_key(session, idempotency_key);
  }

  Result<std::vector<LineageEvent>> lineage_of(std::string_view session) override {
    HF_TRY(auto events, inner_.lineage_of(session));
    return visible(std::move(events));
  }
  Result<std::vector<LineageEvent>> lineage_tree(std::string_view session) override {
    HF_TRY(auto events, inner_.lineage_tree(session));
    const std::size_t all = events.size();
    events = visible(std::move(events));
    return events.size() == all ? std::move(events) : connected_with(session, std::move(events));
  }

  Result<std::optional<KeyedValue>> value(std::string_view space, std::string_view key) override {
    return inner_.value(space, key);
  }
  Result<std::vector<KeyedValue>> values(const ValueQuery& query) override { return inner_.values(query); }
  Result<std::optional<Lease>> lease(std::string_view name) override { return inner_.lease(name); }

 protected:
  // not_found unless it may be seen.
  Result<void> need(std::string_view id) {
    if (seen_.is(id)) return {};
    HF_CHECK(get(id));
    return {};
  }

  // Ids that the store does not know (another machine's, purged ones) say nothing about anybody.
  bool is_hidden(const std::string& id) {
    if (id.empty() || seen_.is(id)) return false;
    const auto record = inner_.get(id);
    return record && !may_see(who_, *record);
  }

  const Identity& who_;

 private:
  std::vector<LineageEvent> visible(std::vector<LineageEvent> events) {
    std::erase_if(events, [this](const LineageEvent& event) { return is_hidden(event.child) || is_hidden(event.parent); });
    return events;
  }

  Reader& inner_;
  SeenLast& seen_;
};

class ViewTransaction final : public ViewReads<Transaction> {
 public:
  ViewTransaction(Transaction& inner, const Identity& who, SeenLast& seen) : ViewReads(inner, who, seen), inner_(inner) {}

  Millis now() const override { return inner_.now(); }

  Result<SessionRecord> create(SessionRecord record) override {
    if (!is_theirs(record)) return not_theirs(who_, record.principal);
    if (!who_.may_see(record.root_uri)) return denied(who_, record.root_uri);
    for (const std::string& root : record.linked_roots)
      if (!who_.may_see(root)) return denied(who_, root);
    return inner_.create(std::move(record));
  }
  Result<SessionRecord> update(SessionRecord record, Touch touch) override {
    HF_TRY(const SessionRecord stored, get(record.id));
    const std::vector<std::string> before = roots_of(stored);
    for (const std::string& root : roots_of(record))
      if (!who_.may_see(root) && std::ranges::find(before, root) == before.end()) return denied(who_, root);
    if (!is_theirs(record)) return not_theirs(who_, record.principal);
    if (!may_see(who_, record)) return denied(who_, record.root_uri);
    return inner_.update(std::move(record), touch);
  }
  Result<void> note_access(std::string_view id) override {
    HF_CHECK(need(id));
    return inner_.note_access(id);
  }
  Result<std::string> refresh_due(std::string_view, std::size_t) override { return speaks_of_everybody(); }
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
      if (is_hidden(id)) return no_such_session(id);
    return inner_.add_lineage(std::move(event));
  }
  Result<KeyedValue> put(std::string_view space, std::string_view key, const Json& value, Expect expect,
                         std::optional<Millis> expires_at) override {
    return inner_.put(space, key, value, expect, expires_at);
  }
  Result<bool> erase(std::string_view space, std::string_view key, Expect expect) override {
    return inner_.erase(space, key, expect);
  }
  Result<std::int64_t> purge_expired(std::size_t) override { return speaks_of_everybody(); }
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

 private:
  bool is_theirs(const SessionRecord& record) const { return !who_.principal.empty() && record.principal == who_.principal; }

  Transaction& inner_;
};

}  // namespace

Result<SearchResult> StoreView::search(const SearchQuery& query) {
  SearchQuery narrower = query;
  if (!narrow(who_, narrower)) return SearchResult{};
  return inner_.search(narrower);
}

Result<std::vector<SessionRecord>> StoreView::get_each(const std::vector<std::string>& ids) {
  HF_TRY(auto records, inner_.get_each(ids));
  std::erase_if(records, [this](const SessionRecord& record) { return !may_see(who_, record); });
  return records;
}

Result<std::vector<Entry>> StoreView::entry_each(const std::vector<EntryPlace>& places) {
  std::set<std::string> named;
  for (const EntryPlace& place : places) named.insert(place.session);
  HF_TRY(const auto records, get_each({named.begin(), named.end()}));
  std::set<std::string> seen;
  for (const SessionRecord& record : records) seen.insert(record.id);
  std::vector<EntryPlace> visible = places;
  std::erase_if(visible, [&](const EntryPlace& place) { return !seen.contains(place.session); });
  return inner_.entry_each(visible);
}

Result<Verification> StoreView::verify(std::string_view session) {
  HF_CHECK(get(session));
  return inner_.verify(session);
}

Result<Integrity> StoreView::integrity() {
  return speaks_of_everybody();
}

Result<StoreInfo> StoreView::info() {
  return speaks_of_everybody();
}

Result<std::unique_ptr<Subscription>> StoreView::subscribe(SubscribeOptions options) {
  HF_CHECK(get(options.session));
  return inner_.subscribe(std::move(options));
}

Result<std::vector<Event>> StoreView::events_after(std::int64_t sequence, std::size_t limit) {
  HF_TRY(auto events, inner_.events_after(sequence, limit));
  std::erase_if(events, [this](const Event& event) { return !get(event.session); });
  return events;
}

Result<void> StoreView::run(const Work& work) {
  return inner_.write([&](Transaction& transaction) {
    SeenLast seen;  // what it makes itself may be rolled back
    ViewTransaction view(transaction, who_, seen);
    return work(view);
  });
}

Result<void> StoreView::look(Moments /*those of the store's own functions*/, const Question& question) {
  ViewReads<Reader> view(inner_, who_, seen_);
  return question(view);
}

}  // namespace holdfast::session
