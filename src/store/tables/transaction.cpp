#include "store/tables/transaction.h"

#include "session/life/value_spaces.h"
#include "session/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace holdfast::store {

using session::Appended;
using session::Entry;
using session::Expect;
using session::Lease;
using session::LeaseOwner;
using session::SessionRecord;
using session::Touch;

namespace {

void sort_unique(std::vector<std::string>& items) {
  std::ranges::sort(items);
  items.erase(std::ranges::unique(items).begin(), items.end());
}

Result<void> check_data_size(const SessionRecord& record) {
  if (to_json(record.data).size() > session::kMaxDataBytes) {
    return fail(ErrorKind::too_large, fmt::format("the data of session {} exceeds {} bytes", record.id, session::kMaxDataBytes));
  }
  return {};
}

Result<void> check_value(std::string_view space, std::string_view key, const Json& value) {
  if (space.empty() || key.empty()) return fail(ErrorKind::invalid, "a keyed value needs a namespace and a key");
  if (space.size() > session::kMaxWordBytes || key.size() > session::kMaxValueKeyBytes) {
    return fail(ErrorKind::too_large, "the name of a keyed value is too long");
  }
  if (!session::is_value_space(space))
    return fail(ErrorKind::invalid, fmt::format("the namespace \"{}\" is not listed, so nothing would be erased from it", space),
                "list it in session/life/value_spaces.h");
  if (to_json(value).size() > session::kMaxValueBytes) {
    return fail(ErrorKind::too_large, fmt::format("{}/{} exceeds {} bytes", space, key, session::kMaxValueBytes));
  }
  return {};
}

}  // namespace

template <class Base>
Result<SessionRow> Reads<Base>::found(Result<std::optional<SessionRow>> row, std::string_view id) {
  if (!row) return fail(std::move(row).error());
  if (*row) return **std::move(row);
  HF_TRY(const auto stone, tables_.find_tombstone(id));
  if (stone) {
    return fail(ErrorKind::not_found, fmt::format("session {} was purged on {}", id, iso8601(stone->purged_at)), {}, "gone");
  }
  return fail(ErrorKind::not_found, fmt::format("there is no session {}", id));
}

template <class Base>
Result<SessionRow> Reads<Base>::row(std::string_view id) {
  return found(tables_.find_row(id), id);
}

template <class Base>
Result<SessionRow> Reads<Base>::whole_row(std::string_view id) {
  return found(tables_.find_whole_row(id), id);
}

template <class Base>
Result<session::SessionRecord> Reads<Base>::get(std::string_view id) {
  HF_TRY(auto found, whole_row(id));
  return std::move(found.record);
}

template <class Base>
Result<session::Page> Reads<Base>::list(const session::Query& query) {
  return tables_.list(query);
}

template <class Base>
Result<std::vector<std::string>> Reads<Base>::ids_with_prefix(const session::IdQuery& query) {
  return tables_.ids_with_prefix(query);
}

template <class Base>
Result<std::optional<session::Tombstone>> Reads<Base>::tombstone(std::string_view id) {
  return tables_.find_tombstone(id);
}

template <class Base>
Result<session::EntryPage> Reads<Base>::entries(const session::EntryQuery& query) {
  if (query.limit < 1 || query.limit > session::kMaxEntryLimit) {
    return fail(ErrorKind::invalid, fmt::format("limit must be 1 to {}, not {}", session::kMaxEntryLimit, query.limit));
  }
  HF_TRY(const auto found, row(query.session));
  return tables_.read_entries(found, query);
}

template <class Base>
Result<std::optional<Entry>> Reads<Base>::entry(std::string_view session, std::int64_t seq) {
  HF_TRY(const auto found, row(session));
  return tables_.find_entry(found, seq);
}

template <class Base>
Result<std::optional<Entry>> Reads<Base>::entry_at(std::string_view session, std::string_view lane, std::int64_t number) {
  HF_TRY(const auto found, row(session));
  return tables_.find_numbered(found, lane, number);
}

template <class Base>
Result<std::optional<Entry>> Reads<Base>::entry_with_key(std::string_view session, std::string_view key) {
  HF_TRY(const auto found, row(session));
  return tables_.find_by_key(found, key);
}

template <class Base>
Result<std::vector<session::LineageEvent>> Reads<Base>::lineage_of(std::string_view session) {
  return tables_.lineage_of(session);
}

template <class Base>
Result<std::vector<session::LineageEvent>> Reads<Base>::lineage_tree(std::string_view session) {
  // Breadth first over both directions. A set of visited ids, because stored history may be circular.
  std::set<std::string, std::less<>> seen{std::string(session)};
  std::vector<std::string> waiting{std::string(session)};
  std::map<std::int64_t, session::LineageEvent> found;
  while (!waiting.empty() && found.size() < session::kMaxLineageEvents) {
    const std::string id = std::move(waiting.back());
    waiting.pop_back();
    HF_TRY(auto events, tables_.lineage_of(id));
    for (session::LineageEvent& event : events) {
      for (const std::string& other : {event.child, event.parent}) {
        if (!other.empty() && seen.insert(other).second) waiting.push_back(other);
      }
      found.try_emplace(event.number, std::move(event));
    }
  }
  std::vector<session::LineageEvent> events;
  for (auto& [number, event] : found) events.push_back(std::move(event));
  return events;
}

template <class Base>
Result<std::optional<session::KeyedValue>> Reads<Base>::value(std::string_view space, std::string_view key) {
  return tables_.find_value(space, key, rules_.clock->now());
}

template <class Base>
Result<std::vector<session::KeyedValue>> Reads<Base>::values(const session::ValueQuery& query) {
  return tables_.list_values(query, rules_.clock->now());
}

template <class Base>
Result<std::optional<session::Lease>> Reads<Base>::lease(std::string_view name) {
  return tables_.find_lease(name);
}

template class Reads<session::Reader>;
template class Reads<session::Transaction>;

Result<void> TableTransaction::refuse_damage(const SessionRow& row) {
  if (!row.record.damage) return {};
  return fail(ErrorKind::corrupt,
              fmt::format("session {} is damaged and is not written to: {}", row.record.id, *row.record.damage),
              "holdfast store verify says what is wrong");
}

Result<SessionRow> TableTransaction::writable_row(std::string_view id) {
  HF_TRY(auto row, row(id));
  HF_CHECK(refuse_damage(row));
  return row;
}

// With texts and tallies, for changes that write the texts again: what is damaged must not be written over.
Result<SessionRow> TableTransaction::writable_whole_row(std::string_view id) {
  HF_TRY(auto row, whole_row(id));
  HF_CHECK(refuse_damage(row));
  return row;
}

void TableTransaction::touch(SessionRow& row, Touch touch) {
  if (touch == Touch::nothing) return;
  if (rev_before_.try_emplace(row.key, row.record.rev).second) ++row.record.rev;
  // A clock that was set back must not make a session look older than it was.
  row.record.updated_at = std::max(row.record.updated_at, now_);
  if (touch == Touch::activity) row.record.last_activity_at = std::max(row.record.last_activity_at, now_);
}

std::optional<Millis> TableTransaction::due_of(const SessionRecord& record) const {
  if (!rules_.due) return std::nullopt;
  return rules_.due(record);
}

Result<SessionRecord> TableTransaction::create(SessionRecord record) {
  HF_CHECK(session::check_record(record));
  HF_CHECK(check_data_size(record));
  HF_TRY(const bool taken, tables_.is_taken(record.id));
  if (taken) return fail(ErrorKind::conflict, fmt::format("session {} exists already", record.id));
  SessionRow row;
  row.record = std::move(record);
  SessionRecord& r = row.record;
  r.rev = 1;
  // Importers bring their own times; nobody else sets them.
  if (r.created_at == 0) r.created_at = now_;
  if (r.updated_at == 0) r.updated_at = r.created_at;
  if (r.last_activity_at == 0) r.last_activity_at = r.updated_at;
  if (r.last_accessed_at == 0) r.last_accessed_at = r.created_at;
  r.tallies.clear();
  r.damage.reset();
  sort_unique(r.tags);
  sort_unique(r.linked_roots);
  r.due_at = due_of(r);
  row.head = session::chain_start(r.id);
  row.changed = tables_.next_sequence();
  HF_CHECK(tables_.insert_row(row));
  rev_before_.try_emplace(row.key, 0);
  return std::move(row.record);
}

Result<SessionRecord> TableTransaction::update(SessionRecord record, Touch how) {
  HF_CHECK(session::check_record(record));
  HF_CHECK(check_data_size(record));
  HF_TRY(auto row, writable_whole_row(record.id));
  const auto before = rev_before_.find(row.key);
  const bool current = record.rev == row.record.rev || (before != rev_before_.end() && record.rev == before->second);
  if (!current) {
    return fail(ErrorKind::conflict,
                fmt::format("session {} has changed: revision {}, not {}", record.id, row.record.rev, record.rev));
  }
  const SessionRecord old = std::exchange(row.record, std::move(record));
  SessionRecord& r = row.record;
  r.rev = old.rev;
  r.kind = old.kind;
  r.created_at = old.created_at;
  r.updated_at = old.updated_at;
  r.last_activity_at = old.last_activity_at;
  r.tallies = old.tallies;
  r.damage.reset();
  sort_unique(r.tags);
  sort_unique(r.linked_roots);
  touch(row, how);
  r.due_at = due_of(r);
  row.changed = tables_.next_sequence();
  HF_CHECK(tables_.update_row(row, old));
  return std::move(row.record);
}

Result<void> TableTransaction::note_access(std::string_view id) {
  HF_TRY(auto row, writable_row(id));
  row.record.last_accessed_at = std::max(row.record.last_accessed_at, now_);
  return tables_.update_head(row);
}

Result<std::string> TableTransaction::refresh_due(std::string_view after_id, std::size_t limit) {
  HF_TRY(const auto rows, tables_.rows_after(after_id, limit));
  for (SessionRow row : rows) {
    if (row.record.damage) continue;
    const auto due = due_of(row.record);
    if (due == row.record.due_at) continue;
    row.record.due_at = due;
    HF_CHECK(tables_.update_head(row));
  }
  return rows.size() < limit ? std::string() : rows.back().record.id;
}

Result<Appended> TableTransaction::append(std::string_view session, session::NewEntry entry) {
  HF_CHECK(session::check_entry(entry));
  HF_TRY(auto row, writable_row(session));
  HF_TRY(auto original, tables_.find_by_key(row, entry.idempotency_key));
  if (original) return Appended{*std::move(original), true, row.record.rev};
  HF_TRY(const auto taken, tables_.find_numbered(row, entry.lane, entry.number));
  if (taken) {
    return fail(ErrorKind::conflict, fmt::format("session {} has a number {} already", session, entry.number));
  }
  if (entry.time == 0) entry.time = now_;
  touch(row, entry.touch);
  row.record.due_at = due_of(row.record);
  HF_TRY(Entry stored, tables_.insert_entry(row, std::move(entry)));
  HF_CHECK(tables_.update_head(row));
  appended_bytes_ += stored.text.size();
  return Appended{std::move(stored), false, row.record.rev};
}

Result<void> TableTransaction::redact(std::string_view session, std::int64_t seq, std::string text, std::string data) {
  HF_TRY(auto row, writable_whole_row(session));
  touch(row, Touch::change);
  row.record.due_at = due_of(row.record);
  row.changed = tables_.next_sequence();
  scrub_ = true;
  HF_CHECK(tables_.redact_entry(row, seq, text, data));
  const SessionRecord unchanged = row.record;
  return tables_.update_row(row, unchanged);
}

Result<void> TableTransaction::purge(std::string_view session, std::string_view reason) {
  HF_TRY(const auto row, row(session));
  scrub_ = true;
  const session::Tombstone stone{row.record.id, row.record.kind,    row.record.principal, row.record.deleted_at,
                                 now_,          std::string(reason)};
  return tables_.erase_row(row, stone, tables_.next_sequence());
}

Result<session::LineageEvent> TableTransaction::add_lineage(session::LineageEvent event) {
  if (event.child.empty() || event.how.empty()) return fail(ErrorKind::invalid, "a lineage event needs a child and a word");
  if (event.child.size() > session::kMaxIdBytes || event.parent.size() > session::kMaxIdBytes ||
      event.how.size() > session::kMaxWordBytes || to_json(event.details).size() > session::kMaxDataBytes) {
    return fail(ErrorKind::too_large, "the lineage event is too large");
  }
  if (event.when == 0) event.when = now_;
  return tables_.insert_lineage(std::move(event));
}

Result<session::KeyedValue> TableTransaction::put(std::string_view space, std::string_view key, const Json& value, Expect expect,
                                                  std::optional<Millis> expires_at) {
  HF_CHECK(check_value(space, key, value));
  session::KeyedValue fresh{std::string(space), std::string(key), value, 0, now_, expires_at};
  HF_TRY(const std::int64_t rev, check_expectation(space, key, expect));
  fresh.rev = rev + 1;
  HF_CHECK(tables_.write_value(fresh));
  return fresh;
}

// The rev stored now (0: none, or expired), unless the expectation does not hold.
Result<std::int64_t> TableTransaction::check_expectation(std::string_view space, std::string_view key, Expect expect) {
  HF_TRY(const std::int64_t rev, tables_.value_rev(space, key, now_));
  if (expect.what == Expect::What::absent && rev != 0) {
    return fail(ErrorKind::conflict, fmt::format("{}/{} exists already", space, key));
  }
  if (expect.what == Expect::What::rev && rev != expect.rev) {
    return fail(ErrorKind::conflict, fmt::format("{}/{} has changed: revision {}, not {}", space, key, rev, expect.rev));
  }
  return rev;
}

Result<bool> TableTransaction::erase(std::string_view space, std::string_view key, Expect expect) {
  HF_TRY(const std::int64_t rev, check_expectation(space, key, expect));
  HF_CHECK(tables_.erase_value(space, key));
  return rev != 0;
}

Result<std::int64_t> TableTransaction::purge_expired(std::size_t limit) {
  return tables_.purge_values(now_, limit);
}

Result<Lease> TableTransaction::acquire_lease(std::string_view name, const LeaseOwner& owner, Millis ttl) {
  if (name.empty() || name.size() > session::kMaxValueKeyBytes) return fail(ErrorKind::invalid, "a lease needs a short name");
  if (ttl <= 0) return fail(ErrorKind::invalid, "a lease needs a time to live");
  HF_TRY(auto held, tables_.find_lease(name));
  const session::LeaseTime time = rules_.lease_now();
  Lease lease{std::string(name), owner, 1, time, ttl};
  if (held) {
    const bool over = session::is_over(*held, time);
    if (!over && held->owner != owner) {
      return fail(ErrorKind::conflict, fmt::format("{} is being worked on by process {} of {}", name, held->owner.pid,
                                                   held->owner.host.substr(0, held->owner.host.find('/'))));
    }
    lease.epoch = over ? held->epoch + 1 : held->epoch;
  }
  HF_CHECK(tables_.write_lease(lease));
  return lease;
}

Result<Lease> TableTransaction::held_lease(std::string_view name, const LeaseOwner& owner, std::int64_t epoch) {
  HF_TRY(auto held, tables_.find_lease(name));
  // Time does not matter here: a lease that ran out protects its owner until somebody else takes it.
  if (!held || held->epoch != epoch || held->owner != owner || held->ttl <= 0) {
    return fail(ErrorKind::conflict, fmt::format("the lease on {} is no longer held", name));
  }
  return *std::move(held);
}

Result<Lease> TableTransaction::renew_lease(std::string_view name, const LeaseOwner& owner, std::int64_t epoch) {
  HF_TRY(auto lease, held_lease(name, owner, epoch));
  lease.renewed = rules_.lease_now();
  HF_CHECK(tables_.write_lease(lease));
  return lease;
}

Result<void> TableTransaction::require_lease(std::string_view name, const LeaseOwner& owner, std::int64_t epoch) {
  HF_CHECK(held_lease(name, owner, epoch));
  return {};
}

Result<void> TableTransaction::release_lease(std::string_view name, const LeaseOwner& owner, std::int64_t epoch) {
  HF_TRY(auto lease, held_lease(name, owner, epoch));
  lease.ttl = 0;  // the row stays, so that the next epoch is a higher one
  return tables_.write_lease(lease);
}

}  // namespace holdfast::store
