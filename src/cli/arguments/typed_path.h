#pragma once

// What a person typed as the path of a document or a folder.
//
// As for every other command it is meant from the current folder on. Only what is not there is a path of the library, as
// `review list` prints it: so both what a shell completes and what was copied from a list are understood. A path that says where
// it begins ("./x", "..", "/x") is never a path of the library, so that "--path ." decides nothing outside of the current folder.

#include "kinds/documents/files/library.h"

#include <string>

namespace holdfast::cli {

// The path in the library; "." for all of it. `here`: the current folder, absolute. Errors: not_found with code no_such_document.
Result<std::string> typed_path(documents::Library& library, const std::string& typed, const std::string& here);

}  // namespace holdfast::cli
