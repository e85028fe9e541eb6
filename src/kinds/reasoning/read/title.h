#pragma once

#include <string>
#include <string_view>

namespace holdfast::reasoning {

inline constexpr std::size_t kTitleLength = 80;  // characters (S5)

// A title from a session's first thought: its first sentence without markdown, cut at a word. A full stop ends a sentence only at
// the end or before white space and a capital, so "drops e.g. the tail" is not cut at "e.g.". Empty for a text without words.
std::string title_of(std::string_view first_thought);

// Text of somebody else's on one line: valid UTF-8, without control characters, runs of white space as one blank.
std::string one_line(std::string_view text);

}  // namespace holdfast::reasoning
