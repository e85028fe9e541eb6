#pragma once

// The part of a text that shows best why it was found.

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::research {

inline constexpr std::size_t kSnippetCharacters = 300;  // three lines on a terminal

// From the line that holds most of the words on; valid UTF-8, on one line, shortened with "…".
std::string snippet_of(std::string_view text, const std::vector<std::string>& words);

// How often each of the words occurs in the text, and how many words that has.
struct WordCounts {
  std::vector<std::uint32_t> counts;  // as the words asked for
  std::uint32_t length = 0;
};
WordCounts count_words(std::string_view text, const std::vector<std::string>& words);

}  // namespace holdfast::research
