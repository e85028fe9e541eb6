#pragma once

// Is what is stored what was written? Reads everything, changes nothing.

#include "store/tables/tables.h"

namespace holdfast::store {

// At most kMaxProblems, then "... and more".
void add_problem(std::vector<std::string>& problems, std::string problem);

// The record's checksums, every entry's hash, that the hashes follow each other up to the one the
// record remembers, that no seq is missing, and that the tallies are right. not_found.
Result<session::Verification> verify_session(Tables& tables, std::string_view id);

// Every one of the sessions. One that cannot be read is a damaged session, not the end of the check.
Result<void> verify_sessions(Tables& tables, const std::vector<std::string>& ids, session::Integrity& report);

}  // namespace holdfast::store
