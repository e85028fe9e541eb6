#include "kinds/research/text/markdown_text.h"

#include "base/text/text.h"

#include <algorithm>
#include <iterator>

namespace holdfast::research {

namespace {

constexpr std::size_t kLeastFence = 3;

std::size_t length_of_run(std::string_view text, char c) {
  return std::min(text.find_first_not_of(c), text.size());
}

}  // namespace

CodeSpans::CodeSpans(std::string_view text) : text_(text) {
  std::size_t line = 0;
  for (std::size_t at = 0; (at = text.find_first_of("`\n", at)) != text.npos;) {
    if (text[at] == '\n') {
      ++line;
      ++at;
      continue;
    }
    runs_.push_back({line, length_of_run(text.substr(at), '`'), at});
    at = runs_.back().end();
  }
  by_length_ = runs_;
  std::ranges::sort(by_length_);
}

const CodeSpans::Run& CodeSpans::run_at(std::size_t at) const {
  return *std::prev(std::ranges::upper_bound(runs_, at, {}, &Run::begin));
}

std::size_t CodeSpans::length_at(std::size_t at) const {
  if (!has_tick(at)) return 0;
  const Run& run = run_at(at);
  const std::size_t opening = run.end() - at;  // a backslash may have taken the first of the run
  const auto closing = std::ranges::lower_bound(by_length_, Run{run.line, opening, run.end()});
  const bool closes = closing != by_length_.end() && closing->line == run.line && closing->length == opening;
  return closes ? closing->end() - at : 0;
}

std::size_t CodeSpans::length_or_ticks_at(std::size_t at) const {
  if (!has_tick(at)) return 0;
  const std::size_t length = length_at(at);
  return length != 0 ? length : run_at(at).end() - at;
}

namespace {

// What the next lines may belong to although they stand further in: an item of a list, a footnote.
bool begins_item(std::string_view shown) {
  if (shown.starts_with("[^")) return true;
  if (shown.size() > 1 && (shown[0] == '-' || shown[0] == '*' || shown[0] == '+') && shown[1] == ' ') return true;
  const std::size_t digits = std::min(shown.find_first_not_of("0123456789"), shown.size());
  return digits > 0 && digits < shown.size() && (shown[digits] == '.' || shown[digits] == ')');
}

}  // namespace

bool CodeFence::is_indented_code(std::string_view line) {
  const std::string_view shown = trim(line);
  if (shown.empty()) {
    after_blank_ = true;
    return false;
  }
  const bool is_in = line.starts_with("    ") || line.starts_with('\t');
  if (is_in) {
    indented_ = indented_ || (after_blank_ && !in_item_);
  } else {
    indented_ = false;
    in_item_ = begins_item(shown) || (in_item_ && !after_blank_);
  }
  after_blank_ = false;
  return indented_;
}

bool CodeFence::holds(std::string_view line) {
  if (mark_ == '\0' && is_indented_code(line)) return true;
  const std::string_view shown = trim(line);
  const char mark = shown.empty() ? '\0' : shown.front();
  const std::size_t run = mark == '`' || mark == '~' ? length_of_run(shown, mark) : 0;
  if (mark_ != '\0') {
    if (mark == mark_ && run >= length_ && run == shown.size()) mark_ = '\0';
    return true;
  }
  // A line with backticks further on is a span of code, not a fence.
  if (run < kLeastFence || (mark == '`' && shown.find('`', run) != shown.npos)) return false;
  mark_ = mark;
  length_ = run;
  return true;
}

namespace {

bool begins_markup(char c) {
  return is_ascii_letter(c) || c == '/' || c == '!' || c == '?';
}

}  // namespace

std::string as_quoted(std::string_view text, Brackets brackets) {
  const CodeSpans spans(text);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    bool escape = false;
    if (const std::size_t code = spans.length_or_ticks_at(i)) {
      out += text.substr(i, code);
      i += code - 1;
      continue;
    }
    if (text[i] == '[') {
      escape = brackets == Brackets::all || is_ascii_digit(next) || (i > 0 && text[i - 1] == '!');
    } else if (text[i] == '<') {
      escape = begins_markup(next);
    }
    if (escape) out += '\\';
    out += text[i];
  }
  return out;
}

}  // namespace holdfast::research
