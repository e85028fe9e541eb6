#pragma once

// Many sessions, or many entries of many sessions, in as many round trips as connection.h needs to send them: one for every 64.
// What is not there is left out.

#include "session/store.h"
#include "store/postgres/connection.h"

namespace holdfast::store::postgres {

Result<std::vector<session::SessionRecord>> read_each(Connection& connection, const std::vector<std::string>& ids);
Result<std::vector<session::Entry>> read_each(Connection& connection, const std::vector<session::EntryPlace>& places);

}  // namespace holdfast::store::postgres
