#pragma once

// Text as the pieces a person would mark when comparing two versions (document-review §6.3 step 1): words, runs of blanks, single
// line breaks, comments as a whole, and otherwise one character as the reader sees it.

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

struct Token {
  std::size_t begin = 0, end = 0;  // in the text
  std::string_view text;
};

std::vector<Token> tokens_of(std::string_view text);

// The nearest borders of visible characters at or around a position: an edit never cuts one in two.
std::size_t character_begin(std::string_view text, std::size_t position);
std::size_t character_end(std::string_view text, std::size_t position);

// Where two token lists differ: [a_begin, a_end) of the first became [b_begin, b_end) of the second. In order; never adjacent.
struct Difference {
  std::size_t a_begin, a_end, b_begin, b_end;
};
// Tokens are compared by their keys, so that spellings that mean the same (quotes, line breaks) can be equal.
std::vector<Difference> differences(const std::vector<std::string>& a, const std::vector<std::string>& b);

}  // namespace holdfast::documents
