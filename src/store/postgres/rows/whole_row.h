#pragma once

// A session with its texts and tallies in one statement: one moment without a transaction around it, and one message instead of
// three for what every call of a tool asks for.

#include "store/postgres/connection.h"
#include "store/tables/session_row.h"

namespace holdfast::store::postgres {

// By id; at most one row.
Statement select_whole_row(std::string_view id);
Statement select_whole_rows(const std::vector<std::int64_t>& keys);  // in any order

SessionRow decode_whole_row(const Row& row);
// Only what `sessions` does not have.
void decode_rest(const Row& row, session::SessionRecord& record);

}  // namespace holdfast::store::postgres
