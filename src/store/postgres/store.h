#pragma once

// session::Store in a PostgreSQL database: shared by any number of nodes.

#include "session/store.h"
#include "store/open.h"

namespace holdfast::store::postgres {

Result<std::unique_ptr<session::Store>> open_postgres_store(std::string_view url, const OpenOptions& options);

}  // namespace holdfast::store::postgres
