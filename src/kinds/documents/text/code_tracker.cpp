#include "kinds/documents/text/code_tracker.h"

#include <algorithm>

namespace holdfast::documents {

namespace {

constexpr std::size_t kFenceIndent = 3, kShortestFence = 3;

}  // namespace

std::size_t CodeTracker::begin_line(std::size_t position) {
  std::size_t i = position;
  while (i < text_.size() && text_[i] == ' ' && i - position < kFenceIndent) ++i;
  if (i >= text_.size() || (text_[i] != '`' && text_[i] != '~')) return position;
  const char sign = text_[i];
  const std::size_t run = run_length(i);
  const std::size_t line_end = std::min(text_.find('\n', i), text_.size());
  const std::string_view rest = text_.substr(i + run, line_end - i - run);
  if (fence_ == 0) {
    if (run < kShortestFence || (sign == '`' && rest.find('`') != std::string_view::npos)) return position;
    fence_ = sign;
    fence_length_ = run;
    return i + run;
  }
  if (sign != fence_ || run < fence_length_ || rest.find_first_not_of(" \t\r") != std::string_view::npos) return position;
  fence_ = 0;
  return i + run;
}

std::size_t CodeTracker::run_length(std::size_t from) const {
  const std::size_t end = text_.find_first_not_of(text_[from], from);
  return (end == std::string_view::npos ? text_.size() : end) - from;
}

// Inline code: a run of backticks that a run of the same length closes within the paragraph.
std::size_t CodeTracker::pass_backticks(std::size_t position) {
  const std::size_t run = run_length(position);
  if (!in_code(position)) {
    const std::size_t closing = closing_run(position + run, run);
    if (closing != std::string_view::npos) code_until_ = closing + run;
  }
  return position + run;
}

std::size_t CodeTracker::closing_run(std::size_t from, std::size_t length) {
  if (from > paragraph_end_) {
    paragraph_end_ = end_of_paragraph(from);
    unclosed_.clear();
  }
  if (unclosed_.contains(length)) return std::string_view::npos;
  for (std::size_t at = text_.find('`', from); at < paragraph_end_;) {
    const std::size_t run = run_length(at);
    if (run == length) return at;
    at = text_.find('`', at + run);
  }
  unclosed_.insert(length);
  return std::string_view::npos;
}

std::size_t CodeTracker::end_of_paragraph(std::size_t from) const {
  while (from < text_.size()) {
    const std::size_t newline = text_.find('\n', from);
    if (newline == std::string_view::npos) break;
    const std::size_t next = text_.find_first_not_of(" \t\r", newline + 1);
    if (next == std::string_view::npos || text_[next] == '\n') return newline;
    from = newline + 1;
  }
  return text_.size();
}

}  // namespace holdfast::documents
