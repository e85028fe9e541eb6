#pragma once

// Code in markdown: what stands in it is neither a link nor a citation.

#include <compare>
#include <cstddef>
#include <string_view>
#include <vector>

namespace holdfast::research {

// The spans of code of a text. A span ends on its line, behind as many backticks as it began with. All backticks are looked at
// once, so that rows of them take no longer than other text of their length.
class CodeSpans {
 public:
  explicit CodeSpans(std::string_view text);  // which must outlive it

  // The length of the span that begins there, backticks included; 0: none does.
  std::size_t length_at(std::size_t at) const;
  // The same; or, where backticks begin nothing, the number of them: all of them are text then.
  std::size_t length_or_ticks_at(std::size_t at) const;

 private:
  struct Run {
    std::size_t line, length, begin;
    std::size_t end() const { return begin + length; }
    auto operator<=>(const Run&) const = default;
  };
  const Run& run_at(std::size_t at) const;
  bool has_tick(std::size_t at) const { return at < text_.size() && text_[at] == '`'; }

  std::string_view text_;
  std::vector<Run> runs_;       // of backticks, in their order
  std::vector<Run> by_length_;  // the same, by line and length
};

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
