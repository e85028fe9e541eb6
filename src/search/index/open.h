#pragma once

// Opens the text index of a folder: what search/index/text_index.h promises.

#include "search/index/text_index.h"

#include <memory>
#include <string>

namespace holdfast::search {

// The folder is made by the first update; where it cannot be made, everything is scanned. The format is in docs/formats/index.md.
Result<std::unique_ptr<TextIndex>> open_text_index(const std::string& folder);

}  // namespace holdfast::search
