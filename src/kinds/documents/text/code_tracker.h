#pragma once

// Where a text is code: fenced blocks and inline code, as document-review §6.2 rule 4 has them. Shared by what parses markup and
// by what looks for links.
//
// A fence that stands deeper, in a list or a quotation, ends with that at the latest, and is one only when it is closed there:
// else an example of a fence would make code of all that follows it.
//
// The caller walks over the text and says what it meets, in order: the start of each line and each run of backticks. Linear in
// the length of the text.

#include <set>
#include <string_view>

namespace holdfast::documents {

class CodeTracker {
 public:
  // The text outlives the tracker.
  explicit CodeTracker(std::string_view text) : text_(text), looks_left_(kLooks * text.size()) {}

  // At the first byte of a line. Where to go on: behind the fence that stands there, else the same place.
  std::size_t begin_line(std::size_t position);
  // At the first of some backticks. Where to go on: behind them.
  std::size_t pass_backticks(std::size_t position);
  bool in_code(std::size_t position) const { return fence_ != 0 || position < code_until_ || position < block_until_; }

  // Characters that may stand between the beginning of a line and a fence.
  static constexpr std::string_view kBeforeFence = " \t>-+*.)0123456789";
  static constexpr std::size_t kMostBeforeFence = 60;

 private:
  // So that the time stays linear. A document of a person needs two.
  static constexpr std::size_t kLooks = 20;

  std::size_t end_of_deep_fence(std::size_t opener, std::size_t run, std::size_t column, std::size_t quotes);
  std::size_t run_length(std::size_t from) const;
  std::size_t closing_run(std::size_t from, std::size_t length);
  std::size_t end_of_paragraph(std::size_t from) const;

  std::string_view text_;
  char fence_ = 0;
  std::size_t fence_length_ = 0;
  std::size_t code_until_ = 0;   // inline code
  std::size_t block_until_ = 0;  // a deep fence
  std::size_t looks_left_;       // bytes that may still be looked at for the ends of deep fences
  std::size_t paragraph_end_ = 0;
  std::set<std::size_t> unclosed_;  // run lengths that nothing closes in this paragraph
};

}  // namespace holdfast::documents
