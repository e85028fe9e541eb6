#pragma once

// session::StoreTransfer of a PostgreSQL store. Nobody else should write there meanwhile.

#include "session/store_transfer.h"

namespace holdfast::store::postgres {

// Makes the tables when `create`; not_found otherwise.
Result<std::unique_ptr<session::StoreTransfer>> open_postgres_transfer(std::string_view url, bool create);

}  // namespace holdfast::store::postgres
