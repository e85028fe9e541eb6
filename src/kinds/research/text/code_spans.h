#pragma once

// Code in markdown: what stands in it is neither a link nor a citation.

#include <cstddef>
#include <string_view>

namespace holdfast::research {

// The length of the span of code that `text` begins with, backticks included; 0: none does. A span ends on its line, behind as
// many backticks as it began with.
std::size_t code_span_at(std::string_view text);

// Handed the lines of a text one after the other, it tells which belong to a block of code: between fences, or behind an empty
// line and four blanks, where that is not the text of an item. A block without an end goes on to the end of the text.
class CodeFence {
 public:
  // The fences themselves count as code.
  bool holds(std::string_view line);

 private:
  bool is_indented_code(std::string_view line);

  bool after_blank_ = true, indented_ = false;
  bool in_item_ = false;  // what stands further in belongs to it
  char mark_ = '\0';      // of the open block; \0: none is open
  std::size_t length_ = 0;
};

}  // namespace holdfast::research
