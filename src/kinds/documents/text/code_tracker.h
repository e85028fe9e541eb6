#pragma once

// Where a text is code: fenced blocks and inline code, as document-review §6.2 rule 4 has them. Shared by what parses markup and
// by what looks for links.
//
// The caller walks over the text and says what it meets, in order: the start of each line and each run of backticks. Linear in
// the length of the text.

#include <set>
#include <string_view>

namespace holdfast::documents {

class CodeTracker {
 public:
  // The text outlives the tracker.
  explicit CodeTracker(std::string_view text) : text_(text) {}

  // At the first byte of a line. Where to go on: behind the fence that stands there, else the same place.
  std::size_t begin_line(std::size_t position);
  // At the first of some backticks. Where to go on: behind them.
  std::size_t pass_backticks(std::size_t position);
  bool in_code(std::size_t position) const { return fence_ != 0 || position < code_until_; }

 private:
  std::size_t run_length(std::size_t from) const;
  std::size_t closing_run(std::size_t from, std::size_t length);
  std::size_t end_of_paragraph(std::size_t from) const;

  std::string_view text_;
  char fence_ = 0;
  std::size_t fence_length_ = 0;
  std::size_t code_until_ = 0;
  std::size_t paragraph_end_ = 0;
  std::set<std::size_t> unclosed_;  // run lengths that nothing closes in this paragraph
};

}  // namespace holdfast::documents
