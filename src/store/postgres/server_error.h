#pragma once

// What a state of PostgreSQL (SQLSTATE) means to us.

#include "base/error.h"
#include "store/postgres/connection.h"

#include <string>
#include <string_view>

namespace holdfast::store::postgres {

struct ServerError {
  Error error;
  Failure failure = Failure::other;
};

// `message` is the primary message, which names columns and limits, never values.
ServerError server_error(std::string_view state, std::string_view message);

// libpq's words about a connection that could not be made.
Error connect_error(std::string message);

}  // namespace holdfast::store::postgres
