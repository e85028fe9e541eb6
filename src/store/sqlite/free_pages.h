#pragma once

// The list of the pages of the file that hold nothing, from which every growing tree takes its pages.
//
// A damaged list stops every write that needs a page, or gives away a page that somebody uses. It holds nothing that is worth
// keeping: it is forgotten, and its pages belong to nothing from then on.

#include "store/sqlite/db.h"

namespace holdfast::store {

// True when the list was damaged and has been forgotten. False also when others read so long that it could not be looked at.
Result<bool> forget_damaged_free_pages(const std::string& path, const std::string& vfs, std::chrono::milliseconds patience);

}  // namespace holdfast::store
