#pragma once

// session::StoreTransfer of a SQLite store. Nobody else should write there meanwhile.

#include "session/store_transfer.h"

namespace holdfast::store {

// Makes the store when `create`; not_found otherwise.
Result<std::unique_ptr<session::StoreTransfer>> open_sqlite_transfer(const std::string& path, bool create);

// Word of `meta` while a copy fills the store.
inline constexpr std::string_view kImportMark = "import";

}  // namespace holdfast::store
