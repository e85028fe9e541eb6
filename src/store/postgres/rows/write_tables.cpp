#include "store/postgres/rows/write_tables.h"

#include "store/postgres/rows/row_statements.h"
#include "store/postgres/rows/whole_row.h"
#include "store/postgres/search/indexed_words.h"
#include "store/tables/condition.h"
#include "store/tables/side_row.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::store::postgres {

using session::Entry;
using session::SessionRecord;

namespace {

constexpr std::string_view kSession = "session";
constexpr std::string_view kRoot = "root";
constexpr std::string_view kSpace = "space";
constexpr std::string_view kValue = "value";
constexpr std::string_view kLease = "lease";
constexpr std::string_view kFamily = "family";

Statement select_value(std::string_view space, std::string_view key) {
  return {"SELECT key, value, rev, updated_at, expires_at FROM keyed WHERE space = ? AND key = ?", {space, key}};
}

bool has_expired(const session::KeyedValue& value, Millis now) {
  return value.expires_at && *value.expires_at <= now;
}

void count(std::vector<session::Tally>& tallies, const session::Tally& more) {
  const auto place = std::ranges::lower_bound(
      tallies, std::pair(std::string_view(more.lane), std::string_view(more.type)), {},
      [](const session::Tally& each) { return std::pair(std::string_view(each.lane), std::string_view(each.type)); });
  if (place == tallies.end() || place->lane != more.lane || place->type != more.type) {
    tallies.insert(place, more);
    return;
  }
  place->count += more.count;
  place->highest_number = std::max(place->highest_number, more.highest_number);
  place->last_seq = more.last_seq;
  place->last_time = more.last_time;
}

}  // namespace

bool WriteTables::has_written() const {
  return wrote_ || !waiting_.empty() || !aside_.empty() ||
         std::ranges::any_of(known_, [](const auto& each) { return each.second.head_moved || !each.second.counted.empty(); });
}

void WriteTables::write_commit_id(const std::string& id) {
  aside_.add("commits", {"INSERT INTO commits(id, fence) VALUES(?, 0)", {id}});
}

void WriteTables::queue_writes() {
  locks_.want_nothing();
  wrote_ = has_written();
  // What takes no number goes first: the lock that orders commits is held for as short as possible.
  StatementGroup early = std::exchange(aside_, {}), late;
  add_heads(false, early);
  early.queue(connection_);
  for (Waiting& each : waiting_) {
    if (each.numbered) {
      locks_.queue_sequence_lock(channel_);
      numbered_ = true;
    }
    connection_.queue(std::move(each.statement));
  }
  waiting_.clear();
  add_heads(true, late);
  late.queue(connection_);
  values_wait_ = false;
  leases_written_.clear();
}

void WriteTables::add_heads(bool of_waiting_rows, StatementGroup& group) {
  for (auto& [id, known] : known_) {
    if (known.row_waits != of_waiting_rows) continue;
    if (known.head_moved && known.row) group.add("sessions", update_session_head(*known.row));
    for (const auto& [name, tally] : known.counted) group.add("tallies", add_to_tally(known.row->key, tally));
    known.head_moved = known.row_waits = false;
    known.counted.clear();
    known.numbers.clear();
    known.keys.clear();
  }
}

void WriteTables::lock_roots(const SessionRecord& record, LockMode mode) {
  for (const std::string& root : listed_roots(record)) locks_.want(kRoot, root, mode);
}

void WriteTables::lock_value(std::string_view space, std::string_view key) {
  const std::string name = fmt::format("{}\n{}", space, key);
  locks_.expect(kValue, name, LockMode::exclusive);
  locks_.want(kSpace, space, LockMode::shared);
  locks_.want(kValue, name, LockMode::exclusive);
}

void WriteTables::expect_locks(const Look& what) {
  if (what.is_session()) return locks_.expect(kSession, what.name, LockMode::exclusive);
  locks_.expect(kSpace, what.space, LockMode::shared);
  locks_.expect(kValue, fmt::format("{}\n{}", what.space, what.name), LockMode::exclusive);
}

Result<void> WriteTables::look(Look what) {
  if (std::ranges::find(looks_, what) != looks_.end()) return {};
  looks_.push_back(std::move(what));
  if (looks_.size() > 1) return {};
  std::vector<Look> all = ahead_.after(looks_.front());
  if (all.empty()) return {};
  all.insert(all.begin(), looks_.front());
  for (const Look& each : all) expect_locks(each);
  locks_.want_nothing();
  return read_all(all);
}

Result<void> WriteTables::read_all(const std::vector<Look>& looks) {
  std::vector<std::size_t> places;
  for (const Look& each : looks)
    places.push_back(connection_.queue(each.is_session() ? select_whole_row(each.name) : select_value(each.space, each.name)));
  HF_TRY(const auto answers, connection_.flush());
  for (std::size_t i = 0; i < looks.size(); ++i) {
    const Answer& rows = answers[places[i]];
    if (looks[i].is_session()) {
      Known& known = known_[looks[i].name];
      if (!rows.empty()) known.row = decode_whole_row(rows[0]);
      known.whole = !rows.empty();
    } else if (rows.empty()) {
      values_[{looks[i].space, looks[i].name}] = std::nullopt;
    } else if (auto value = decode_value(rows[0], looks[i].space)) {  // else whoever wants it reads it and is told
      values_[{looks[i].space, looks[i].name}] = *std::move(value);
    }
  }
  return {};
}

Result<std::optional<SessionRow>> WriteTables::find_row(std::string_view id) {
  HF_CHECK(look({{}, std::string(id)}));
  if (const auto found = known_.find(id); found != known_.end()) return found->second.row;
  locks_.want(kSession, id, LockMode::exclusive);
  HF_TRY(auto row, reads_.find_row(id));
  known_[std::string(id)].row = row;
  return row;
}

Result<std::optional<SessionRow>> WriteTables::find_whole_row(std::string_view id) {
  HF_CHECK(look({{}, std::string(id)}));
  if (const auto found = known_.find(id); found != known_.end()) {
    auto row = found->second.row;
    if (row) HF_CHECK(load_rest(*row));
    return row;
  }
  locks_.want(kSession, id, LockMode::exclusive);
  HF_TRY(auto row, reads_.find_whole_row(id));
  Known& known = known_[std::string(id)];
  known.row = row;
  known.whole = row.has_value();
  return row;
}

Result<void> WriteTables::load_rest(SessionRow& row) {
  Known& mine = known(row.record.id);
  if (!mine.whole) {
    if (mine.entries_wait()) queue_writes();
    SessionRow whole = *mine.row;
    HF_CHECK(reads_.load_rest(whole));
    mine.row = std::move(whole);
    mine.whole = true;
  }
  row = *mine.row;
  return {};
}

void WriteTables::remember(const SessionRow& row) {
  Known& known = known_.try_emplace(row.record.id).first->second;
  known.row = row;
  known.whole = true;
  known.row_waits = true;
}

Result<std::vector<std::string>> WriteTables::ids_with_prefix(const session::IdQuery& query) {
  HF_CHECK(locks_.want_everything());
  queue_writes();
  return reads_.ids_with_prefix(query);
}

Result<session::Page> WriteTables::list(const session::Query& query) {
  if (query.roots.empty()) {
    HF_CHECK(locks_.want_everything());
  } else {
    for (const std::string& root : stored_roots(query.roots, query.rootless)) locks_.want(kRoot, root, LockMode::exclusive);
  }
  queue_writes();
  return reads_.list(query);
}

Result<std::optional<session::Tombstone>> WriteTables::find_tombstone(std::string_view id) {
  locks_.want(kSession, id, LockMode::exclusive);
  if (const auto found = known_.find(id); found != known_.end() && found->second.row_waits) queue_writes();
  return reads_.find_tombstone(id);
}

Result<session::EntryPage> WriteTables::read_entries(const SessionRow& row, const session::EntryQuery& query) {
  if (query.direction == session::Direction::forward && query.from > row.entries) return session::EntryPage{};
  if (known(row.record.id).entries_wait()) queue_writes();
  return reads_.read_entries(row, query);
}

Result<std::optional<Entry>> WriteTables::find_entry(const SessionRow& row, std::int64_t seq) {
  if (known(row.record.id).entries_wait()) queue_writes();
  return reads_.find_entry(row, seq);
}

Result<std::optional<Entry>> WriteTables::find_numbered(const SessionRow& row, std::string_view lane, std::int64_t number) {
  const Known& mine = known(row.record.id);
  if (mine.numbers.contains({std::string(lane), number})) queue_writes();
  // With the tallies at hand it is known without asking that a number is new.
  else if (mine.whole && number > mine.row->record.highest_number(lane))
    return std::nullopt;
  return reads_.find_numbered(row, lane, number);
}

Result<std::optional<Entry>> WriteTables::find_by_key(const SessionRow& row, std::string_view key) {
  Known& mine = known(row.record.id);
  if (mine.keys.contains(key)) {
    queue_writes();
    mine.absent_keys.erase(std::string(key));
  }
  if (mine.absent_keys.contains(key)) return std::nullopt;
  HF_TRY(auto found, reads_.find_by_key(row, key));
  if (!found) mine.absent_keys.emplace(key);
  return found;
}

Result<void> WriteTables::each_entry(const SessionRow& row, const OnEntry& on_entry) {
  if (known(row.record.id).entries_wait()) queue_writes();
  return reads_.each_entry(row, on_entry);
}

Result<std::vector<session::LineageEvent>> WriteTables::lineage_of(std::string_view session) {
  locks_.want(kFamily, session, LockMode::shared);
  return reads_.lineage_of(session);
}

Result<void> WriteTables::know_value(const ValueName& name) {
  const auto& [space, key] = name;
  HF_CHECK(look({space, key}));
  if (values_.contains(name)) return {};
  lock_value(space, key);
  HF_TRY(const Answer rows, connection_.ask(select_value(space, key)));
  std::optional<session::KeyedValue> value;
  if (!rows.empty()) {
    HF_TRY(value, decode_value(rows[0], space));
  }
  values_.emplace(name, std::move(value));
  return {};
}

Result<std::optional<session::KeyedValue>> WriteTables::find_value(std::string_view space, std::string_view key, Millis now) {
  const ValueName name(space, key);
  HF_CHECK(know_value(name));
  const auto& value = values_[name];
  if (!value || has_expired(*value, now)) return std::nullopt;
  return value;
}

Result<std::vector<session::KeyedValue>> WriteTables::list_values(const session::ValueQuery& query, Millis now) {
  locks_.want(kSpace, query.space, LockMode::exclusive);
  if (values_wait_) queue_writes();
  return reads_.list_values(query, now);
}

Result<std::optional<session::Lease>> WriteTables::find_lease(std::string_view name) {
  locks_.want(kLease, name, LockMode::exclusive);
  if (leases_written_.contains(name)) queue_writes();
  return reads_.find_lease(name);
}

Result<std::vector<SessionRow>> WriteTables::rows_after(std::string_view id, std::size_t limit) {
  HF_CHECK(locks_.want_everything());
  queue_writes();
  HF_TRY(auto found, reads_.rows_after(id, limit));
  for (const SessionRow& row : found) {
    Known& known = known_[row.record.id];
    known = {};
    known.row = row;
  }
  return found;
}

Result<bool> WriteTables::is_taken(std::string_view id) {
  HF_TRY(const auto row, find_row(id));
  if (row) return true;
  HF_TRY(const auto stone, find_tombstone(id));
  return stone.has_value();
}

void WriteTables::write_lookups(const SessionRow& row, const SessionRecord* before) {
  const SessionRecord& r = row.record;
  const auto roots = listed_roots(r);
  if (before == nullptr || listed_roots(*before) != roots) {
    if (before != nullptr) write({"DELETE FROM roots WHERE session = ?", {row.key}});
    for (const std::string& root : roots) write({"INSERT INTO roots VALUES(?, ?)", {root, row.key}});
  }
  if (before == nullptr || before->tags != r.tags) {
    if (before != nullptr) write({"DELETE FROM tags WHERE session = ?", {row.key}});
    for (const std::string& tag : r.tags) write({"INSERT INTO tags VALUES(?, ?)", {tag, row.key}});
  }
}

Result<void> WriteTables::insert_row(SessionRow& row) {
  row.key = make_session_key();
  lock_roots(row.record, LockMode::shared);
  remember(row);
  write(write_session_texts(row));
  write_lookups(row, nullptr);
  write(insert_session(row), true);
  return {};
}

Result<void> WriteTables::update_row(SessionRow& row, const SessionRecord& before) {
  lock_roots(before, LockMode::shared);
  lock_roots(row.record, LockMode::shared);
  remember(row);
  known(row.record.id).head_moved = false;
  write(write_session_texts(row));
  write_lookups(row, &before);
  write(update_session(row), true);
  return {};
}

Result<void> WriteTables::update_head(SessionRow& row) {
  Known& mine = known(row.record.id);
  SessionRecord& record = mine.row->record;
  record.rev = row.record.rev;
  record.updated_at = row.record.updated_at;
  record.last_activity_at = row.record.last_activity_at;
  record.last_accessed_at = row.record.last_accessed_at;
  record.due_at = row.record.due_at;
  mine.row->entries = row.entries;
  mine.row->head = row.head;
  mine.head_moved = true;
  return {};
}

Result<void> WriteTables::erase_row(const SessionRow& row, const session::Tombstone& tombstone, std::int64_t /*changed*/) {
  lock_roots(row.record, LockMode::shared);
  Known& mine = known(row.record.id);
  mine = {};
  mine.row_waits = true;
  for (const std::string_view table : {"session_texts", "roots", "tags", "tallies", "entries"}) {
    write({fmt::format("DELETE FROM {} WHERE session = ?", table), {row.key}});
  }
  write({"DELETE FROM sessions WHERE key = ?", {row.key}});
  write({"INSERT INTO tombstones VALUES(?, ?, ?, ?, ?, ?, nextval('store_sequence'))",
         {tombstone.id, tombstone.kind, tombstone.principal, tombstone.deleted_at, tombstone.purged_at, tombstone.reason}},
        true);
  return {};
}

Result<Entry> WriteTables::insert_entry(SessionRow& row, session::NewEntry fresh) {
  Known& mine = known(row.record.id);
  auto [entry, salt] = next_entry(row, std::move(fresh), 0);
  write(insert_entry_row(row, row.head, entry, std::move(salt)), true);
  const session::Tally one{entry.lane, entry.type, 1, entry.number, entry.seq, entry.time};
  if (mine.whole) count(mine.row->record.tallies, one);
  auto [place, first] = mine.counted.try_emplace({entry.lane, entry.type}, one);
  if (!first) {
    ++place->second.count;
    place->second.highest_number = std::max(place->second.highest_number, one.highest_number);
    place->second.last_seq = one.last_seq;
    place->second.last_time = one.last_time;
  }
  if (entry.number > 0) mine.numbers.emplace(entry.lane, entry.number);
  if (!entry.idempotency_key.empty()) mine.keys.insert(entry.idempotency_key);
  row.entries = entry.seq;
  row.head = entry.hash;
  return entry;
}

Result<void> WriteTables::redact_entry(const SessionRow& row, std::int64_t seq, std::string_view text, std::string_view data) {
  if (known(row.record.id).entries_wait()) queue_writes();
  HF_TRY(const Answer rows,
         connection_.ask("SELECT salt, mac, text, data FROM entries WHERE session = ? AND seq = ?", {row.key, seq}));
  if (rows.empty()) return fail(ErrorKind::not_found, fmt::format("session {} has no entry {}", row.record.id, seq));
  const std::string mac = mac_to_keep(rows[0].text(0), rows[0].text(1), rows[0].text(2), rows[0].text(3));
  write(
      {"UPDATE entries SET salt = NULL, mac = ?, data = ?, text = ?, words = array_to_tsvector(?) WHERE session = ? AND seq = ?",
       {mac, data, text, no_words(), row.key, seq}});
  return {};
}

Result<session::LineageEvent> WriteTables::insert_lineage(session::LineageEvent event) {
  locks_.want(kFamily, event.child, LockMode::exclusive);
  if (!event.parent.empty()) locks_.want(kFamily, event.parent, LockMode::exclusive);
  HF_TRY(const Answer rows,
         connection_.ask("INSERT INTO lineage(child, parent, how, time, details) VALUES(?, ?, ?, ?, ?) RETURNING number",
                         {event.child, event.parent, event.how, event.when, to_json(event.details)}));
  event.number = rows[0].integer(0);
  wrote_ = true;
  return event;
}

Result<std::int64_t> WriteTables::value_rev(std::string_view space, std::string_view key, Millis now) {
  if (const auto known = values_.find({std::string(space), std::string(key)}); known != values_.end())
    return known->second && !has_expired(*known->second, now) ? known->second->rev : 0;
  HF_CHECK(look({std::string(space), std::string(key)}));
  lock_value(space, key);
  HF_TRY(
      const Answer rows,
      connection_.ask("SELECT rev FROM keyed WHERE space = ? AND key = ? AND coalesce(expires_at > ?, TRUE)", {space, key, now}));
  return rows.empty() ? 0 : rows[0].integer(0);
}

Result<void> WriteTables::write_value(const session::KeyedValue& value) {
  aside_.add("keyed", {"INSERT INTO keyed VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT(space, key) DO UPDATE SET value = excluded.value, "
                       "rev = excluded.rev, updated_at = excluded.updated_at, expires_at = excluded.expires_at",
                       {value.space, value.key, to_json(value.value), value.rev, value.updated_at, value.expires_at}});
  values_[{value.space, value.key}] = value;
  values_wait_ = true;
  return {};
}

Result<void> WriteTables::erase_value(std::string_view space, std::string_view key) {
  lock_value(space, key);
  aside_.add("keyed", {"DELETE FROM keyed WHERE space = ? AND key = ?", {space, key}});
  values_[{std::string(space), std::string(key)}].reset();
  values_wait_ = true;
  return {};
}

Result<std::int64_t> WriteTables::purge_values(Millis now, std::size_t limit) {
  queue_writes();
  // Somebody who writes one of them anew at this moment keeps it.
  HF_TRY(const Answer gone,
         connection_.ask("DELETE FROM keyed WHERE (space, key) IN (SELECT space, key FROM keyed WHERE expires_at <= ? "
                         "LIMIT ? FOR UPDATE SKIP LOCKED)",
                         {now, limit}));
  wrote_ = true;
  return gone.changed();
}

Result<void> WriteTables::write_lease(const session::Lease& lease) {
  aside_.add("leases",
             {"INSERT INTO leases VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(name) DO UPDATE SET host = excluded.host, "
              "pid = excluded.pid, started = excluded.started, token = excluded.token, epoch = excluded.epoch, "
              "renewed_boot = excluded.renewed_boot, renewed_wall = excluded.renewed_wall, ttl = excluded.ttl",
              {lease.name, lease.owner.host, lease.owner.pid, lease.owner.started, lease.owner.token, lease.epoch,
               lease.renewed.boot, lease.renewed.wall, lease.ttl}});
  leases_written_.insert(lease.name);
  return {};
}

}  // namespace holdfast::store::postgres
