#pragma once

// A model's text in the spelling of the document it goes into (document-review §5 `edit`): what only differs in line breaks,
// quotes or blanks that a model cannot tell apart keeps the document's own bytes, and new line breaks are those of the place.

#include "kinds/documents/text/merge.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

// The line ending used at a place: that of the line before, else of the line after.
std::string_view line_break_at(std::string_view text, std::size_t position);

// What shall stand in [begin, end) of the text instead of what is there.
std::string respelled(std::string_view text, std::size_t begin, std::size_t end, std::string_view new_text, Likeness likeness);

}  // namespace holdfast::documents
