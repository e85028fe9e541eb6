// The story of a transaction's tables. In come the questions and changes of one write, one after the other; out go as few
// messages to the server as they can be put in, because a round trip costs more than most statements.
//
// Before something is read it is locked by name, in the same message; so what was read once cannot change, is remembered, and is
// not asked for again. Changes go into the connection's line and leave with the next question, or with the commit. Two kinds wait
// for the very end: the head of a session (a write of five entries moves it once), and whatever takes a number of the store-wide
// sequence, because numbers are given out under a lock that orders all commits of all nodes.
//
// What would go wrong otherwise: numbers taken early would make every node wait for this one's round trips, and numbers taken
// without the lock would become visible out of order, so that a reader of events would miss some. A question about rows that
// still wait must put them in line first (queue_writes), or it would not see what this very transaction has done.

#include "store/postgres/rows/write_tables.h"

#include "base/crypto/hash.h"
#include "store/postgres/search/indexed_words.h"
#include "store/tables/condition.h"

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

// Beginnings that are remembered: more than a node has busy connections. All are forgotten then, and learnt again at once.
constexpr std::size_t kMaxBeginnings = 10'000;

// Looks of one write that are read ahead. Those of longer writes differ from time to time.
constexpr std::size_t kMaxFollowers = 4;

}  // namespace

std::vector<Look> ReadAhead::after(const Look& first) const {
  const std::lock_guard lock(mutex_);
  const auto found = followers_.find(first);
  return found == followers_.end() ? std::vector<Look>() : found->second;
}

void ReadAhead::learn(const std::vector<Look>& looks) {
  if (looks.size() < 2) return;
  const std::size_t end = std::min(looks.size(), kMaxFollowers + 1);
  std::vector<Look> rest(looks.begin() + 1, looks.begin() + static_cast<std::ptrdiff_t>(end));
  const std::lock_guard lock(mutex_);
  if (followers_.size() >= kMaxBeginnings) followers_.clear();
  followers_.insert_or_assign(looks.front(), std::move(rest));
}

std::int64_t make_session_key() {
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch());
  std::int64_t random = 0;
  for (const char c : random_bytes(3)) random = random << 8 | static_cast<unsigned char>(c);
  std::int64_t key = (now.count() & 0x1ffffffffff) << 22 | (random & 0x3fffff);
  // A copy makes hundreds in a millisecond; among those chance would not be enough.
  static std::atomic<std::int64_t> last = 0;
  std::int64_t before = last.load();
  do {
    key = std::max(key, before + 1);
  } while (!last.compare_exchange_weak(before, key));
  return key;
}

bool WriteTables::has_written() const {
  return wrote_ || !waiting_.statements.empty() ||
         std::ranges::any_of(known_, [](const auto& each) { return each.second.head_moved || !each.second.counted.empty(); });
}

Result<void> WriteTables::queue_writes() {
  locks_.want_nothing();
  wrote_ = has_written();
  // What takes no number goes first: the lock that orders commits is held for as short as possible.
  HF_CHECK(queue_heads(false));
  for (Statement& each : waiting_.statements) {
    if (each.sql.contains(kNextNumber)) {
      locks_.queue_sequence_lock(channel_);
      numbered_ = true;
    }
    connection_.queue(std::move(each));
  }
  waiting_.statements.clear();
  return queue_heads(true);
}

Result<void> WriteTables::queue_heads(bool of_waiting_rows) {
  for (auto& [id, known] : known_) {
    if (known.row_waits != of_waiting_rows) continue;
    if (known.head_moved && known.row) HF_CHECK(update_session_head(connection_, *known.row, {}));
    for (const auto& [name, tally] : known.counted) HF_CHECK(add_to_tally(connection_, known.row->key, tally));
    known.head_moved = known.row_waits = false;
    known.counted.clear();
    known.numbers.clear();
    known.keys.clear();
  }
  return {};
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
    if (mine.entries_wait()) HF_CHECK(queue_writes());
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
  HF_CHECK(queue_writes());
  return reads_.ids_with_prefix(query);
}

Result<session::Page> WriteTables::list(const session::Query& query) {
  if (query.roots.empty()) {
    HF_CHECK(locks_.want_everything());
  } else {
    for (const std::string& root : stored_roots(query.roots, query.rootless)) locks_.want(kRoot, root, LockMode::exclusive);
  }
  HF_CHECK(queue_writes());
  return reads_.list(query);
}

Result<std::optional<session::Tombstone>> WriteTables::find_tombstone(std::string_view id) {
  locks_.want(kSession, id, LockMode::exclusive);
  if (const auto found = known_.find(id); found != known_.end() && found->second.row_waits) HF_CHECK(queue_writes());
  return reads_.find_tombstone(id);
}

Result<session::EntryPage> WriteTables::read_entries(const SessionRow& row, const session::EntryQuery& query) {
  if (query.direction == session::Direction::forward && query.from > row.entries) return session::EntryPage{};
  if (known(row.record.id).entries_wait()) HF_CHECK(queue_writes());
  return reads_.read_entries(row, query);
}

Result<std::optional<Entry>> WriteTables::find_entry(const SessionRow& row, std::int64_t seq) {
  if (known(row.record.id).entries_wait()) HF_CHECK(queue_writes());
  return reads_.find_entry(row, seq);
}

Result<std::optional<Entry>> WriteTables::find_numbered(const SessionRow& row, std::string_view lane, std::int64_t number) {
  const Known& mine = known(row.record.id);
  if (mine.numbers.contains({std::string(lane), number})) HF_CHECK(queue_writes());
  // With the tallies at hand it is known without asking that a number is new.
  else if (mine.whole && number > mine.row->record.highest_number(lane))
    return std::nullopt;
  return reads_.find_numbered(row, lane, number);
}

Result<std::optional<Entry>> WriteTables::find_by_key(const SessionRow& row, std::string_view key) {
  Known& mine = known(row.record.id);
  if (mine.keys.contains(key)) {
    HF_CHECK(queue_writes());
    mine.absent_keys.erase(std::string(key));
  }
  if (mine.absent_keys.contains(key)) return std::nullopt;
  HF_TRY(auto found, reads_.find_by_key(row, key));
  if (!found) mine.absent_keys.emplace(key);
  return found;
}

Result<void> WriteTables::each_entry(const SessionRow& row, const OnEntry& on_entry) {
  if (known(row.record.id).entries_wait()) HF_CHECK(queue_writes());
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
  return reads_.list_values(query, now);
}

Result<std::optional<session::Lease>> WriteTables::find_lease(std::string_view name) {
  locks_.want(kLease, name, LockMode::exclusive);
  return reads_.find_lease(name);
}

Result<std::vector<SessionRow>> WriteTables::rows_after(std::string_view id, std::size_t limit) {
  HF_CHECK(locks_.want_everything());
  HF_CHECK(queue_writes());
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

Result<void> WriteTables::insert_row(SessionRow& row) {
  row.key = make_session_key();
  lock_roots(row.record, LockMode::shared);
  remember(row);
  HF_CHECK(write_texts(row));
  HF_CHECK(write_session_lookups(connection_, row, nullptr, {}));
  return insert_session(waiting_, row, kNextNumber, false);
}

Result<void> WriteTables::update_row(SessionRow& row, const SessionRecord& before) {
  lock_roots(before, LockMode::shared);
  lock_roots(row.record, LockMode::shared);
  remember(row);
  known(row.record.id).head_moved = false;
  HF_CHECK(write_texts(row));
  HF_CHECK(write_session_lookups(connection_, row, &before, {}));
  return update_session(waiting_, row, kNextNumber, {});
}

Result<void> WriteTables::write_texts(const SessionRow& row) {
  const SessionRecord& r = row.record;
  const Param words = indexed_words(searched_text(r.title, r.description, list_to_text(r.tags)));
  return write_session_texts(connection_, row, TextArray{*words.bytes});
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
  return erase_session(waiting_, row, tombstone, kNextNumber, 0);
}

Result<Entry> WriteTables::insert_entry(SessionRow& row, session::NewEntry fresh) {
  Known& mine = known(row.record.id);
  NextEntry next = next_entry(row, std::move(fresh), 0);
  Entry& entry = next.entry;
  const Param words = indexed_words(entry.text);
  HF_CHECK(insert_entry_row(waiting_, row, next, kNextNumber, TextArray{*words.bytes}));
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
  return std::move(entry);
}

Result<void> WriteTables::redact_entry(const SessionRow& row, std::int64_t seq, std::string_view text, std::string_view data) {
  if (known(row.record.id).entries_wait()) HF_CHECK(queue_writes());
  HF_TRY(const Answer rows,
         connection_.ask("SELECT salt, mac, text, data FROM entries WHERE session = ? AND seq = ?", {row.key, seq}));
  if (rows.empty()) return fail(ErrorKind::not_found, fmt::format("session {} has no entry {}", row.record.id, seq));
  const std::string mac = mac_to_keep(rows[0].text(0), rows[0].text(1), rows[0].text(2), rows[0].text(3));
  connection_.queue(
      "UPDATE entries SET salt = NULL, mac = ?, data = ?, text = ?, words = array_to_tsvector(?) WHERE session = ? AND seq = ?",
      {mac, data, text, no_words(), row.key, seq});
  wrote_ = true;
  return {};
}

Result<session::LineageEvent> WriteTables::insert_lineage(session::LineageEvent event) {
  locks_.want(kFamily, event.child, LockMode::exclusive);
  if (!event.parent.empty()) locks_.want(kFamily, event.parent, LockMode::exclusive);
  wrote_ = true;
  return insert_lineage_event(connection_, std::move(event));
}

Result<std::int64_t> WriteTables::value_rev(std::string_view space, std::string_view key, Millis now) {
  if (const auto known = values_.find({std::string(space), std::string(key)}); known != values_.end())
    return known->second && !has_expired(*known->second, now) ? known->second->rev : 0;
  HF_CHECK(look({std::string(space), std::string(key)}));
  lock_value(space, key);
  return read_value_rev(connection_, space, key, now);
}

Result<void> WriteTables::write_value(const session::KeyedValue& value) {
  values_[{value.space, value.key}] = value;
  wrote_ = true;
  return write_keyed_value(connection_, value);
}

Result<void> WriteTables::erase_value(std::string_view space, std::string_view key) {
  lock_value(space, key);
  values_[{std::string(space), std::string(key)}].reset();
  wrote_ = true;
  return erase_keyed_value(connection_, space, key);
}

Result<std::int64_t> WriteTables::purge_values(Millis now, std::size_t limit) {
  HF_CHECK(queue_writes());
  // Somebody who writes one of them anew at this moment keeps it.
  HF_TRY(const Answer gone,
         connection_.ask("DELETE FROM keyed WHERE (space, key) IN (SELECT space, key FROM keyed WHERE expires_at <= ? "
                         "LIMIT ? FOR UPDATE SKIP LOCKED)",
                         {now, limit}));
  wrote_ = true;
  return gone.changed();
}

Result<void> WriteTables::write_lease(const session::Lease& lease) {
  wrote_ = true;
  return write_lease_row(connection_, lease);
}

}  // namespace holdfast::store::postgres
