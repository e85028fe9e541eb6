#pragma once

// Session records as rows of `sessions`, the same in every database: the order of the columns, the checksums over them, and how
// a row becomes a record.
//
// A row that does not fit its checksum is still read, and marked damaged: it stays in lists, and nothing is written to it any
// more.

#include "base/crypto/hash.h"
#include "session/entry.h"
#include "session/record.h"
#include "store/tables/sql.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::store {

// A row of `sessions`. Of the record it holds everything but description, opening, data and tallies.
struct SessionRow {
  std::int64_t key = 0;
  session::SessionRecord record;
  std::int64_t changed = 0;          // store-wide sequence number of the last change of the record
  std::int64_t entries = 0;          // seq of the last entry
  Digest head{};                     // its hash, or the start of the chain
  std::int64_t bucket = 0;           // of SQLite: where it stands (buckets.h); 0: nowhere yet
  std::optional<Millis> stored_due;  // due_at as it is in the table: to be written only when it moved
};

// What decode_session reads, in this order.
inline constexpr std::string_view kSessionColumns =
    "key, id, kind, title, root_uri, root_name, linked_roots, project, task, aspect, domain, tags, status, visibility, "
    "prior_status, prior_visibility, pinned, principal, client, rev, created_at, updated_at, last_activity_at, "
    "last_accessed_at, archived_at, deleted_at, completed_at, retention_anchor_at, due_at, changed, entries, head, checksum";
SessionRow decode_session(const Columns& columns);

// The rest of the record, from the columns description, opening, data, checksum of `session_texts`.
void decode_texts(const Columns& columns, session::SessionRecord& record);
// From lane, type, count, highest_number, last_seq, last_time of `tallies`.
session::Tally decode_tally(const Columns& columns);

void add_damage(session::SessionRecord& record, std::string_view what);

// How lists are kept in a column.
std::string list_to_text(const std::vector<std::string>& items);

std::string checksum_of(const SessionRow& row, std::string_view linked_roots, std::string_view tags);
std::string checksum_of_texts(std::string_view description, std::string_view opening, std::string_view data);

// What a list's text filter looks into.
std::string folded_text(const session::SessionRecord& record);
// What a search looks into, beside the entries. `tags` as they are kept in a column.
std::string searched_text(std::string_view title, std::string_view description, std::string_view tags);
// Where the record is found in `roots`: one without any root under '', the root that no session has.
std::vector<std::string> listed_roots(const session::SessionRecord& record);

// Entries as rows, the same in every database. Every row carries the hash before it and its own, so one read by itself already
// shows whether its bytes are those that were written; that the hashes follow each other is verify's question.

// What read_entry reads, in this order.
inline constexpr std::string_view kEntryColumns =
    "sequence, seq, type, lane, number, time, author, run, key, previous, hash, salt, mac, data, text";
session::Entry read_entry(const Columns& columns, std::string_view session_id);
Digest previous_hash(const Columns& columns);

// The next entry of `row`, complete but for being stored. `sequence` is the store-wide number.
struct NextEntry {
  session::Entry entry;
  std::string salt;
};
NextEntry next_entry(const SessionRow& row, session::NewEntry fresh, std::int64_t sequence);

// What stays of an entry when its salt is destroyed; an entry that was redacted before keeps the one it has.
std::string mac_to_keep(std::string_view salt, std::string_view mac, std::string_view text, std::string_view data);

}  // namespace holdfast::store
