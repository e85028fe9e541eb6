#pragma once

// The statements that write session records and entries.

#include "store/postgres/statement.h"
#include "store/tables/entry_row.h"

namespace holdfast::store::postgres {

// Keys grow with time, so that what is new stands together in the indexes. Those of a process are all different; two that are
// made in the same millisecond by two nodes are the same once in four million times; then the second transaction runs again.
std::int64_t make_session_key();

// These two take a number of the store-wide sequence.
Statement insert_session(const SessionRow& row);
Statement update_session(const SessionRow& row);

// What an append changes; takes no number.
Statement update_session_head(const SessionRow& row);

Statement write_session_texts(const SessionRow& row);

// Takes a number of the store-wide sequence.
Statement insert_entry_row(const SessionRow& row, const Digest& previous, const session::Entry& entry, std::string salt);

// Adds what was counted in this transaction to what was before.
Statement add_to_tally(std::int64_t session, const session::Tally& more);

}  // namespace holdfast::store::postgres
