#pragma once

// Which sessions a query means, in its order.

#include "session/query/query.h"
#include "store/sqlite/lists/catalogue.h"

namespace holdfast::store {

// The store's secret authenticates the cursors. Without a catalogue the tables are asked: inside a transaction that writes, whose
// changes no catalogue knows.
Result<session::Page> list_sessions(Db& db, const session::Query& query, std::string_view secret, Catalogue* catalogue);

}  // namespace holdfast::store
