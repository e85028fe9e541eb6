#pragma once

// session::Store in one SQLite file: a writer, readers, live events and the full-text index put together.

#include "session/store.h"
#include "store/tables/copy.h"

namespace holdfast::store {

Result<std::unique_ptr<session::Store>> open_sqlite_store(const std::string& path, const OpenOptions& options);

// Makes the store when `create`; not_found otherwise.
Result<std::unique_ptr<CopyEnd>> open_sqlite_copy(const std::string& path, bool create);

}  // namespace holdfast::store
