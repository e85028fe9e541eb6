#pragma once

// Which sessions a query means, in its order.

#include "session/query/query.h"
#include "store/postgres/connection.h"

namespace holdfast::store::postgres {

Result<session::Page> list_sessions(Connection& connection, const session::Query& query, std::string_view secret);

}  // namespace holdfast::store::postgres
