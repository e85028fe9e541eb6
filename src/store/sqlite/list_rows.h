#pragma once

// Which sessions a query means, in its order.

#include "session/query.h"
#include "store/sqlite/db.h"

namespace holdfast::store {

// The store's secret authenticates the cursors.
Result<session::Page> list_sessions(Db& db, const session::Query& query, std::string_view secret);

}  // namespace holdfast::store
