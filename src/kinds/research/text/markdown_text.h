#pragma once

// What a report must know of markdown: where code is, in which nothing is a link or a citation; and how text of others stands in
// it as text.

#include <compare>
#include <cstddef>
#include <string>
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

// Text of others inside a report, which clients show as markdown: a title or a sentence from a document must not become a picture
// that is fetched, a link, markup, or a reference to a source of ours. What stands between backticks is shown as it is by
// markdown itself and stays as it is. Shown, the text is still word for word that of its source. Pure.
enum class Brackets { numbers, all };

// numbers: only brackets that could be read as a citation or belong to a picture are taken for text; links of a sentence stay.
std::string as_quoted(std::string_view text, Brackets brackets);

}  // namespace holdfast::research
