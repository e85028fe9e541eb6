#pragma once

// Opens the text index of a folder: what session/query/text_index.h promises.

#include "session/query/text_index.h"

#include <memory>
#include <string>

namespace holdfast::store {

// The folder is made by the first update; where it cannot be made, everything is scanned. The format is in docs/formats/index.md.
Result<std::unique_ptr<session::TextIndex>> open_text_index(const std::string& folder);

}  // namespace holdfast::store
