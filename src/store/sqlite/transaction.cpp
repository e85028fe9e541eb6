#include "store/sqlite/transaction.h"

#include "session/limits.h"
#include "store/sqlite/catalogue_rows.h"
#include "store/sqlite/entry_rows.h"
#include "store/sqlite/side_rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::store {

using session::Appended;
using session::Entry;
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
  if (to_json(value).size() > session::kMaxValueBytes) {
    return fail(ErrorKind::too_large, fmt::format("{}/{} exceeds {} bytes", space, key, session::kMaxValueBytes));
  }
  return {};
}

}  // namespace

SqliteTransaction::SqliteTransaction(Db& db, const Context& context, std::int64_t& sequence)
    : db_(db), context_(context), reads_(db, context), now_(context.clock->now()), sequence_(sequence) {}

Result<void> SqliteTransaction::refuse_damage(const SessionRow& row) {
  if (!row.record.damage) return {};
  return fail(ErrorKind::corrupt,
              fmt::format("session {} is damaged and is not written to: {}", row.record.id, *row.record.damage),
              "run: holdfast verify");
}

Result<SessionRow> SqliteTransaction::writable_row(std::string_view id) {
  HF_TRY(auto row, reads_.row(id));
  HF_CHECK(refuse_damage(row));
  return row;
}

// With texts and tallies, for changes that write the texts again: what is damaged must not be written over.
Result<SessionRow> SqliteTransaction::writable_whole_row(std::string_view id) {
  HF_TRY(auto row, reads_.row(id));
  HF_CHECK(load_rest(db_, row));
  HF_CHECK(refuse_damage(row));
  return row;
}

void SqliteTransaction::touch(SessionRow& row, Touch touch) {
  if (touch == Touch::nothing) return;
  if (rev_before_.try_emplace(row.key, row.record.rev).second) ++row.record.rev;
  // A clock that was set back must not make a session look older than it was.
  row.record.updated_at = std::max(row.record.updated_at, now_);
  if (touch == Touch::activity) row.record.last_activity_at = std::max(row.record.last_activity_at, now_);
}

std::optional<Millis> SqliteTransaction::due_of(const SessionRecord& record) const {
  if (!context_.due) return std::nullopt;
  return context_.due(record);
}

Result<SessionRecord> SqliteTransaction::create(SessionRecord record) {
  HF_CHECK(session::check_record(record));
  HF_CHECK(check_data_size(record));
  HF_TRY(const auto existing,
         db_.number("SELECT 1 FROM sessions WHERE id = ?1 UNION ALL SELECT 1 FROM tombstones WHERE id = ?1", record.id));
  if (existing) return fail(ErrorKind::conflict, fmt::format("session {} exists already", record.id));
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
  row.changed = ++sequence_;
  HF_CHECK(insert_row(db_, row));
  rev_before_.try_emplace(row.key, 0);
  return std::move(row.record);
}

Result<SessionRecord> SqliteTransaction::update(SessionRecord record, Touch how) {
  HF_CHECK(session::check_record(record));
  HF_CHECK(check_data_size(record));
  HF_TRY(auto row, writable_whole_row(record.id));
  const auto before = rev_before_.find(row.key);
  const bool current = record.rev == row.record.rev || (before != rev_before_.end() && record.rev == before->second);
  if (!current) {
    return fail(ErrorKind::conflict,
                fmt::format("session {} has changed: revision {}, not {}", record.id, row.record.rev, record.rev));
  }
  SessionRecord old = std::exchange(row.record, std::move(record));
  SessionRecord& r = row.record;
  r.rev = old.rev;
  r.kind = std::move(old.kind);
  r.created_at = old.created_at;
  r.updated_at = old.updated_at;
  r.last_activity_at = old.last_activity_at;
  r.tallies = std::move(old.tallies);
  r.damage.reset();
  sort_unique(r.tags);
  sort_unique(r.linked_roots);
  touch(row, how);
  r.due_at = due_of(r);
  row.changed = ++sequence_;
  HF_CHECK(update_row(db_, row));
  return std::move(row.record);
}

Result<void> SqliteTransaction::note_access(std::string_view id) {
  HF_TRY(auto row, writable_row(id));
  row.record.last_accessed_at = std::max(row.record.last_accessed_at, now_);
  return update_head(db_, row);
}

Result<std::string> SqliteTransaction::refresh_due(std::string_view after_id, std::size_t limit) {
  HF_TRY(const auto rows, rows_after(db_, after_id, limit));
  bool any = false;
  for (SessionRow row : rows) {
    if (row.record.damage) continue;
    const auto due = due_of(row.record);
    if (due == row.record.due_at) continue;
    row.record.due_at = due;
    any = true;
    HF_CHECK(update_head(db_, row));
  }
  if (any) HF_CHECK(note_recount(db_));
  return rows.size() < limit ? std::string() : rows.back().record.id;
}

Result<Appended> SqliteTransaction::append(std::string_view session, session::NewEntry entry) {
  HF_CHECK(session::check_entry(entry));
  HF_TRY(auto row, writable_row(session));
  HF_TRY(auto original, find_entry_by_key(db_, row, entry.idempotency_key));
  if (original) return Appended{*std::move(original), true, row.record.rev};
  HF_TRY(const auto taken, find_entry(db_, row, entry.lane, entry.number));
  if (taken) {
    return fail(ErrorKind::conflict, fmt::format("session {} has a number {} already", session, entry.number));
  }
  if (entry.time == 0) entry.time = now_;
  touch(row, entry.touch);
  row.record.due_at = due_of(row.record);
  HF_TRY(Entry stored, insert_entry(db_, row, std::move(entry), ++sequence_));
  HF_CHECK(update_head(db_, row));
  appended_bytes_ += stored.text.size();
  return Appended{std::move(stored), false, row.record.rev};
}

Result<void> SqliteTransaction::redact(std::string_view session, std::int64_t seq, std::string text, std::string data) {
  HF_TRY(auto row, writable_whole_row(session));
  HF_TRY(const std::int64_t sequence, redact_entry(db_, row, seq, text, data));
  touch(row, Touch::change);
  row.record.due_at = due_of(row.record);
  row.changed = ++sequence_;
  scrub_ = true;
  HF_CHECK(db_.run("INSERT INTO erasures VALUES(?, ?, ?)", row.changed, sequence, sequence));
  return update_row(db_, row);
}

Result<void> SqliteTransaction::purge(std::string_view session, std::string_view reason) {
  HF_TRY(const auto row, reads_.row(session));
  const std::int64_t changed = ++sequence_;
  HF_CHECK(
      db_.run("INSERT INTO erasures SELECT ?, ifnull(min(sequence), 0), ifnull(max(sequence), 0) FROM entries "
              "WHERE session = ?",
              changed, row.key));
  HF_CHECK(erase_row(db_, row));
  scrub_ = true;
  const session::Tombstone stone{row.record.id, row.record.kind,    row.record.principal, row.record.deleted_at,
                                 now_,          std::string(reason)};
  return insert_tombstone(db_, stone, changed);
}

Result<session::LineageEvent> SqliteTransaction::add_lineage(session::LineageEvent event) {
  if (event.child.empty() || event.how.empty()) return fail(ErrorKind::invalid, "a lineage event needs a child and a word");
  if (event.child.size() > session::kMaxIdBytes || event.parent.size() > session::kMaxIdBytes ||
      event.how.size() > session::kMaxWordBytes || to_json(event.details).size() > session::kMaxDataBytes) {
    return fail(ErrorKind::too_large, "the lineage event is too large");
  }
  if (event.when == 0) event.when = now_;
  return insert_lineage(db_, std::move(event));
}

Result<session::KeyedValue> SqliteTransaction::put(std::string_view space, std::string_view key, const Json& value,
                                                   session::Expect expect, std::optional<Millis> expires_at) {
  HF_CHECK(check_value(space, key, value));
  session::KeyedValue fresh{std::string(space), std::string(key), value, 0, now_, expires_at};
  return put_value(db_, std::move(fresh), expect);
}

Result<bool> SqliteTransaction::erase(std::string_view space, std::string_view key, session::Expect expect) {
  return erase_value(db_, space, key, expect, now_);
}

Result<std::int64_t> SqliteTransaction::purge_expired(std::size_t limit) {
  return purge_values(db_, now_, limit);
}

Result<Lease> SqliteTransaction::acquire_lease(std::string_view name, const LeaseOwner& owner, Millis ttl) {
  if (name.empty() || name.size() > session::kMaxValueKeyBytes) return fail(ErrorKind::invalid, "a lease needs a short name");
  if (ttl <= 0) return fail(ErrorKind::invalid, "a lease needs a time to live");
  HF_TRY(auto held, find_lease(db_, name));
  const session::LeaseTime time = context_.lease_now();
  Lease lease{std::string(name), owner, 1, time, ttl};
  if (held) {
    const bool over = session::is_over(*held, time);
    if (!over && held->owner != owner) {
      return fail(ErrorKind::conflict, fmt::format("{} is being worked on by process {} of {}", name, held->owner.pid,
                                                   held->owner.host.substr(0, held->owner.host.find('/'))));
    }
    lease.epoch = over ? held->epoch + 1 : held->epoch;
  }
  HF_CHECK(write_lease(db_, lease));
  return lease;
}

Result<Lease> SqliteTransaction::held_lease(std::string_view name, const LeaseOwner& owner, std::int64_t epoch) {
  HF_TRY(auto held, find_lease(db_, name));
  // Time does not matter here: a lease that ran out protects its owner until somebody else takes it.
  if (!held || held->epoch != epoch || held->owner != owner || held->ttl <= 0) {
    return fail(ErrorKind::conflict, fmt::format("the lease on {} is no longer held", name));
  }
  return *std::move(held);
}

Result<Lease> SqliteTransaction::renew_lease(std::string_view name, const LeaseOwner& owner, std::int64_t epoch) {
  HF_TRY(auto lease, held_lease(name, owner, epoch));
  lease.renewed = context_.lease_now();
  HF_CHECK(write_lease(db_, lease));
  return lease;
}

Result<void> SqliteTransaction::require_lease(std::string_view name, const LeaseOwner& owner, std::int64_t epoch) {
  HF_CHECK(held_lease(name, owner, epoch));
  return {};
}

Result<void> SqliteTransaction::release_lease(std::string_view name, const LeaseOwner& owner, std::int64_t epoch) {
  HF_TRY(auto lease, held_lease(name, owner, epoch));
  lease.ttl = 0;  // the row stays, so that the next epoch is a higher one
  return write_lease(db_, lease);
}

}  // namespace holdfast::store
