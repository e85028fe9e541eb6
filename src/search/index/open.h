#pragma once

// Opens the text index of a folder: what search/index/text_index.h promises.

#include "search/index/limits.h"
#include "search/index/text_index.h"

#include <memory>
#include <string>

namespace holdfast::search {

// The folder is made by the first update; where it cannot be made, everything is scanned. The format is in docs/formats/index.md.
// `segment_text`: a segment of this much text is full; less than kSegmentTextBytes where forgetting has to be quick.
Result<std::unique_ptr<TextIndex>> open_text_index(const std::string& folder, std::uint64_t segment_text = kSegmentTextBytes);

}  // namespace holdfast::search
