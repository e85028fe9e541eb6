#pragma once

// What somebody may have meant who named a document that is not there: the same name in another folder, or nearly the same name.

#include "kinds/documents/files/library.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

inline constexpr std::size_t kMaxNearNames = 3;  // document-review §4, no_such_document

// Paths as shown, nearest first. Looks at a bounded number of files, so a miss in a large library stays cheap.
std::vector<std::string> near_names(Library& library, std::string_view path);

}  // namespace holdfast::documents
