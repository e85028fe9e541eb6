#include "kinds/documents/text/code_tracker.h"

#include <algorithm>

namespace holdfast::documents {

namespace {

constexpr std::size_t kFenceIndent = 3, kShortestFence = 3;
constexpr std::size_t kTab = 4, kMostDigits = 9;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// What stands before the words of a line: blanks, markers of quotations, and of lists.
struct Start {
  std::size_t at = 0;      // where the words begin
  std::size_t column = 0;  // of them
  std::size_t quotes = 0;
  bool has_list_marker = false;
};

// The length of the marker of a list that stands here; 0: none.
std::size_t list_marker(std::string_view text, std::size_t at) {
  std::size_t digits = 0;
  while (at + digits < text.size() && digits < kMostDigits && is_digit(text[at + digits])) ++digits;
  const std::size_t character = at + digits;
  if (character >= text.size()) return 0;
  const bool is_marker =
      digits > 0 ? text[character] == '.' || text[character] == ')' : std::string_view("-+*").contains(text[character]);
  const bool ends = character + 1 >= text.size() || std::string_view(" \t\r\n").contains(text[character + 1]);
  return is_marker && ends ? digits + 1 : 0;
}

Start start_of_line(std::string_view text, std::size_t position, bool with_lists) {
  Start start{position};
  for (; start.at < text.size(); ++start.at) {
    const char c = text[start.at];
    if (c == ' ') {
      ++start.column;
    } else if (c == '\t') {
      start.column += kTab - start.column % kTab;
    } else if (c == '>') {
      ++start.quotes;
      ++start.column;
    } else if (const std::size_t marker = with_lists ? list_marker(text, start.at) : 0; marker > 0) {
      start.has_list_marker = true;
      start.column += marker;
      start.at += marker - 1;
    } else {
      break;
    }
  }
  return start;
}

bool is_blank(std::string_view text, std::size_t at) {
  return at >= text.size() || text[at] == '\n' || text[at] == '\r';
}

std::size_t next_line(std::string_view text, std::size_t from) {
  const std::size_t newline = text.find('\n', from);
  return newline == std::string_view::npos ? text.size() : newline + 1;
}

// Whether another block begins with this line: a paragraph before it is over.
bool begins_block(std::string_view text, std::size_t line, bool in_quotation) {
  const Start start = start_of_line(text, line, false);
  if (is_blank(text, start.at)) return true;
  if (start.quotes > 0 && !in_quotation) return true;
  if (list_marker(text, start.at) > 0) return true;
  const std::size_t end = std::min(text.find_first_of("\r\n", start.at), text.size());
  const std::string_view words = text.substr(start.at, end - start.at);
  const std::size_t hashes = std::min(words.find_first_not_of('#'), words.size());
  if (hashes > 0 && hashes <= 6 && (hashes == words.size() || words[hashes] == ' ')) return true;
  if (words.front() == '|') return true;
  if (words.starts_with("```") || words.starts_with("~~~")) return true;
  return words.find_first_not_of(words.front() == '=' ? "=" : "-") == std::string_view::npos;
}

}  // namespace

std::size_t CodeTracker::begin_line(std::size_t position) {
  const Start start = start_of_line(text_, position, fence_ == 0);
  const bool deep =
      start.at - position > kFenceIndent || start.quotes > 0 || start.has_list_marker || start.column != start.at - position;
  if (deep && (fence_ != 0 || position < block_until_)) return position;
  const std::size_t i = start.at;
  if (i >= text_.size() || (text_[i] != '`' && text_[i] != '~')) return position;
  const char character = text_[i];
  const std::size_t run = run_length(i);
  const std::size_t line_end = std::min(text_.find('\n', i), text_.size());
  const std::string_view rest = text_.substr(i + run, line_end - i - run);
  if (fence_ == 0) {
    if (run < kShortestFence || (character == '`' && rest.find('`') != std::string_view::npos)) return position;
    if (deep) {
      const std::size_t end = end_of_deep_fence(i, run, start.column, start.quotes);
      if (end == std::string_view::npos) return position;
      block_until_ = end;
      return i + run;
    }
    fence_ = character;
    fence_length_ = run;
    return i + run;
  }
  if (character != fence_ || run < fence_length_ || rest.find_first_not_of(" \t\r") != std::string_view::npos) return position;
  fence_ = 0;
  return i + run;
}

// Where its last line ends; npos: it is not closed before the list or quotation is over that it stands in.
std::size_t CodeTracker::end_of_deep_fence(std::size_t opener, std::size_t run, std::size_t column, std::size_t quotes) {
  const char character = text_[opener];
  // Its list begins at most three columns before it.
  const std::size_t least = column > kFenceIndent ? column - kFenceIndent : quotes > 0 ? 0 : column;
  for (std::size_t line = next_line(text_, opener); line < text_.size();) {
    const Start start = start_of_line(text_, line, false);
    if (quotes > 0 ? start.quotes < quotes : start.column < least && !is_blank(text_, start.at)) break;
    const std::size_t length = start.at < text_.size() && text_[start.at] == character ? run_length(start.at) : 0;
    const bool closes = length >= kShortestFence && is_blank(text_, text_.find_first_not_of(" \t", start.at + length));
    const std::size_t next = next_line(text_, line);
    if (closes && length >= run) return next;
    if (looks_left_ < next - line) break;
    looks_left_ -= next - line;
    line = next;
  }
  return std::string_view::npos;
}

std::size_t CodeTracker::run_length(std::size_t from) const {
  const std::size_t end = text_.find_first_not_of(text_[from], from);
  return (end == std::string_view::npos ? text_.size() : end) - from;
}

// Inline code: a run of backticks that a run of the same length closes within the paragraph.
std::size_t CodeTracker::pass_backticks(std::size_t position) {
  const std::size_t run = run_length(position);
  if (!in_code(position)) {
    std::size_t slashes = 0;
    while (slashes < position && text_[position - slashes - 1] == '\\') ++slashes;
    if (slashes % 2 == 1) return position + 1;  // that one is a character of its own
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
  const std::size_t before = from == 0 ? std::string_view::npos : text_.rfind('\n', from - 1);
  const Start first = start_of_line(text_, before == std::string_view::npos ? 0 : before + 1, true);
  const bool is_alone =
      first.at < text_.size() && (text_[first.at] == '#' || text_[first.at] == '|');  // a heading, a row of a table
  while (from < text_.size()) {
    const std::size_t newline = text_.find('\n', from);
    if (newline == std::string_view::npos) break;
    if (is_alone || begins_block(text_, newline + 1, first.quotes > 0)) return newline;
    from = newline + 1;
  }
  return text_.size();
}

}  // namespace holdfast::documents
