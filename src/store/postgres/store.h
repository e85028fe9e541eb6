#pragma once

// session::Store in a PostgreSQL database: shared by any number of nodes.

#include "session/store.h"
#include "store/tables/copy.h"

namespace holdfast::store::postgres {

Result<std::unique_ptr<session::Store>> open_postgres_store(std::string_view url, const OpenOptions& options);

// Makes the tables when `create`; not_found otherwise.
Result<std::unique_ptr<CopyEnd>> open_postgres_copy(std::string_view url, bool create);

// "postgres://" or "postgresql://".
bool is_address(std::string_view url);

}  // namespace holdfast::store::postgres
