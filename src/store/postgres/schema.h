#pragma once

// The tables of a PostgreSQL store, and how older ones become current (docs/formats/store.md).
//
// They live in a schema of their own: "holdfast", unless the address names another (?options=-csearch_path%3Dname). The format
// is a row of `meta`. Opening brings older tables forward under a lock that all nodes take, so that any number may start at
// once. Newer tables than this program knows are left alone and can be read as far as the known columns go.

#include "store/postgres/connection.h"

namespace holdfast::store::postgres {

inline constexpr int kFormat = 5;

// The schema of the address, or ours.
Result<std::string> find_schema(Connection& connection);

// 0: there is no store here yet. corrupt when the schema holds tables of another program.
Result<int> read_format(Connection& connection, const std::string& schema);

// Creates or upgrades. refused when the database is not in UTF-8.
Result<void> migrate(Connection& connection, const std::string& schema);

}  // namespace holdfast::store::postgres
