#include "store/sqlite/reads.h"

#include "session/limits.h"
#include "store/sqlite/entry_rows.h"
#include "store/sqlite/list_rows.h"
#include "store/sqlite/side_rows.h"

#include <fmt/format.h>

namespace holdfast::store {

using session::Entry;

Result<SessionRow> Reads::row(std::string_view id) {
  HF_TRY(auto found, find_row(db_, id));
  if (found) return *std::move(found);
  HF_TRY(const auto stone, find_tombstone(db_, id));
  if (stone) {
    return fail(ErrorKind::not_found, fmt::format("session {} was purged on {}", id, iso8601(stone->purged_at)), {}, "gone");
  }
  return fail(ErrorKind::not_found, fmt::format("there is no session {}", id));
}

Result<session::SessionRecord> Reads::get(std::string_view id) {
  HF_TRY(auto found, row(id));
  HF_CHECK(load_rest(db_, found));
  return std::move(found.record);
}

Result<session::Page> Reads::list(const session::Query& query) {
  return list_sessions(db_, query, context_.secret, catalogue_);
}

Result<std::vector<std::string>> Reads::ids_with_prefix(std::string_view prefix, std::size_t limit) {
  HF_TRY(auto rows, db_.query("SELECT id FROM sessions WHERE id >= ? ORDER BY id LIMIT ?", prefix, limit));
  std::vector<std::string> ids;
  while (true) {
    HF_TRY(const bool more, rows.next());
    if (!more || !rows.text(0).starts_with(prefix)) return ids;
    ids.emplace_back(rows.text(0));
  }
}

Result<std::optional<session::Tombstone>> Reads::tombstone(std::string_view id) {
  return find_tombstone(db_, id);
}

Result<session::EntryPage> Reads::entries(const session::EntryQuery& query) {
  if (query.limit < 1 || query.limit > session::kMaxEntryLimit) {
    return fail(ErrorKind::invalid, fmt::format("limit must be 1 to {}, not {}", session::kMaxEntryLimit, query.limit));
  }
  HF_TRY(const auto found, row(query.session));
  return read_entries(db_, found, query);
}

Result<std::optional<Entry>> Reads::entry(std::string_view session, std::int64_t seq) {
  HF_TRY(const auto found, row(session));
  return find_entry(db_, found, seq);
}

Result<std::optional<Entry>> Reads::entry_at(std::string_view session, std::string_view lane, std::int64_t number) {
  HF_TRY(const auto found, row(session));
  return find_entry(db_, found, lane, number);
}

Result<std::optional<Entry>> Reads::entry_with_key(std::string_view session, std::string_view key) {
  HF_TRY(const auto found, row(session));
  return find_entry_by_key(db_, found, key);
}

Result<std::vector<session::LineageEvent>> Reads::lineage_of(std::string_view session) {
  return store::lineage_of(db_, session);
}

Result<std::vector<session::LineageEvent>> Reads::lineage_tree(std::string_view session) {
  return store::lineage_tree(db_, session);
}

Result<std::optional<session::KeyedValue>> Reads::value(std::string_view space, std::string_view key) {
  return find_value(db_, space, key, context_.clock->now());
}

Result<std::vector<session::KeyedValue>> Reads::values(const session::ValueQuery& query) {
  return list_values(db_, query, context_.clock->now());
}

Result<std::optional<session::Lease>> Reads::lease(std::string_view name) {
  return find_lease(db_, name);
}

}  // namespace holdfast::store
