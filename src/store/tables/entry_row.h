#pragma once

// Entries as rows, the same in every database. Every row carries the hash before it and its own, so one read by itself already
// shows whether its bytes are those that were written; that the hashes follow each other is verify's question.

#include "session/entry.h"
#include "store/tables/session_row.h"

namespace holdfast::store {

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
