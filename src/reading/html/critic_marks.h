#pragma once

// A text with pending changes (CriticMarkup) as it stands without them: for excerpts, where marks and their notes would be noise.

#include <string>
#include <string_view>

namespace holdfast::reading {

// What is proposed to go stays, what is proposed to come and comments are left out. A mark that is cut off ends with the text.
std::string without_marks(std::string_view text);

}  // namespace holdfast::reading
