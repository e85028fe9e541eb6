#pragma once

#include <string>
#include <string_view>

namespace holdfast::reasoning {

// Text of somebody else's on one line: valid UTF-8, without control characters, runs of white space as one blank.
std::string one_line(std::string_view text);

}  // namespace holdfast::reasoning
