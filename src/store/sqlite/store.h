#pragma once

// session::Store in one SQLite file: a writer, readers, live events and the full-text index put together.

#include "session/store.h"
#include "store/open.h"

namespace holdfast::store {

Result<std::unique_ptr<session::Store>> open_sqlite_store(const std::string& path, const OpenOptions& options);

}  // namespace holdfast::store
