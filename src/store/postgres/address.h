#pragma once

// The address of a database: "postgres://user:password@host:port/name?sslmode=require", with everything libpq understands in
// it. The password may also come from PGPASSWORD or ~/.pgpass; no message and no log ever has it.

#include "base/result.h"

#include <string>
#include <string_view>

namespace holdfast::store::postgres {

// "postgres://" or "postgresql://".
bool is_address(std::string_view url);

struct Address {
  std::string url;    // as given; secret
  std::string shown;  // for people: user, host, port and database
};

// invalid when libpq does not understand it.
Result<Address> parse_address(std::string_view url);

}  // namespace holdfast::store::postgres
