#pragma once

// Reading as one identity, the same for the store and for a transaction: what it may not see does not exist, in the words in
// which what never existed does not. Used by store_view.cpp alone.

#include "base/identity.h"
#include "session/store.h"

#include <mutex>
#include <string>
#include <vector>

namespace holdfast::session {

// As the stores say it.
std::unexpected<Error> no_such_session(std::string_view id);
// Of what would look at everything that everybody has.
std::unexpected<Error> speaks_of_everybody();
bool may_see(const Identity& who, const SessionRecord& record);
// Leaves what this identity may see of what is asked for; false when nothing can fit any more.
bool narrow(const Identity& who, Query& query);
bool narrow(const Identity& who, SearchQuery& query);
bool narrow(const Identity& who, IdQuery& query);
// Those events that are still connected with the session, when no other is known.
std::vector<LineageEvent> connected_with(std::string_view session, std::vector<LineageEvent> events);

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

// Base: Store or Transaction.
template <class Base>
class ViewReads : public Base {
 public:
  Result<SessionRecord> get(std::string_view id) override {
    auto record = inner().get(id);
    if (record && may_see(who(), *record)) {
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
    if (!narrow(who(), narrower)) return Page{{}, query.count ? 0 : kNotCounted, {}};
    return inner().list(narrower);
  }

  Result<std::vector<std::string>> ids_with_prefix(const IdQuery& query) override {
    IdQuery narrower = query;
    if (!narrow(who(), narrower)) return std::vector<std::string>{};
    return inner().ids_with_prefix(narrower);
  }

  // Nobody knows any more in which project a purged one was: only who sees all projects hears of it.
  Result<std::optional<Tombstone>> tombstone(std::string_view id) override {
    if (!who().projects.empty()) return std::nullopt;
    HF_TRY(auto stone, inner().tombstone(id));
    if (stone && stone->principal != who().principal) return std::nullopt;
    return stone;
  }

  Result<EntryPage> entries(const EntryQuery& query) override {
    HF_CHECK(need(query.session));
    return inner().entries(query);
  }
  Result<std::optional<Entry>> entry(std::string_view session, std::int64_t seq) override {
    HF_CHECK(need(session));
    return inner().entry(session, seq);
  }
  Result<std::optional<Entry>> entry_at(std::string_view session, std::string_view lane, std::int64_t number) override {
    HF_CHECK(need(session));
    return inner().entry_at(session, lane, number);
  }
  Result<std::optional<Entry>> entry_with_key(std::string_view session, std::string_view idempotency_key) override {
    HF_CHECK(need(session));
    return inner().entry_with_key(session, idempotency_key);
  }

  Result<std::vector<LineageEvent>> lineage_of(std::string_view session) override {
    HF_TRY(auto events, inner().lineage_of(session));
    return seen(std::move(events));
  }
  Result<std::vector<LineageEvent>> lineage_tree(std::string_view session) override {
    HF_TRY(auto events, inner().lineage_tree(session));
    const std::size_t all = events.size();
    events = seen(std::move(events));
    return events.size() == all ? std::move(events) : connected_with(session, std::move(events));
  }

  Result<std::optional<KeyedValue>> value(std::string_view space, std::string_view key) override {
    return inner().value(space, key);
  }
  Result<std::vector<KeyedValue>> values(const ValueQuery& query) override { return inner().values(query); }
  Result<std::optional<Lease>> lease(std::string_view name) override { return inner().lease(name); }

 protected:
  virtual Reader& inner() = 0;
  virtual const Identity& who() const = 0;

  // not_found unless it may be seen.
  Result<void> need(std::string_view id) {
    if (seen_.is(id)) return {};
    HF_CHECK(get(id));
    return {};
  }

  // Ids that the store does not know (another machine's, purged ones) say nothing about anybody.
  bool is_hidden(const std::string& id) {
    if (id.empty() || seen_.is(id)) return false;
    const auto record = inner().get(id);
    return record && !may_see(who(), *record);
  }

 private:
  std::vector<LineageEvent> seen(std::vector<LineageEvent> events) {
    std::erase_if(events, [this](const LineageEvent& event) { return is_hidden(event.child) || is_hidden(event.parent); });
    return events;
  }

  SeenLast seen_;
};

}  // namespace holdfast::session
