#pragma once

// Rows of a table of which some pages are damaged.

#include "store/sqlite/db.h"

#include <string>
#include <vector>

namespace holdfast::store {

// Every row of the table `from` that can be read into `to`, which has the same columns, in another connection: a transaction that
// has come to a damaged page may not go on. What could not be read is added to `losses`, in words.
Result<void> copy_rows(Db& source, const std::string& from, Db& target, const std::string& to, std::vector<std::string>& losses);

}  // namespace holdfast::store
