#include "kinds/documents/find/grep_text.h"

#include "base/text/text.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstring>

namespace holdfast::documents {

namespace {

constexpr std::size_t kMaxRegexBytes = 16 * 1024;          // longer ones are data, not patterns
constexpr std::int64_t kPatternMemory = 16 * 1024 * 1024;  // program and states, for each thread

// What other engines know and one that runs in linear time cannot have.
std::string name_of_construct(const re2::RE2& program) {
  const std::string& wrong = program.error_arg();
  if (wrong.starts_with("(?<")) {
    for (const std::string_view behind : {"(?<=", "(?<!"})
      if (program.pattern().find(behind) != std::string::npos) return fmt::format("look-behind \"{}\"", behind);
    return "the group \"(?<name>\" (write \"(?P<name>\")";
  }
  if (wrong.starts_with("(?=") || wrong.starts_with("(?!")) return fmt::format("look-ahead \"{}\"", wrong.substr(0, 3));
  if (wrong.starts_with("(?>")) return "atomic group \"(?>\"";
  if (wrong.size() == 2 && wrong[0] == '\\' && wrong[1] >= '1' && wrong[1] <= '9')
    return fmt::format("back-reference \"{}\"", wrong);
  if (wrong.starts_with("\\k")) return "back-reference \"\\k\"";
  return "";
}

std::unexpected<Error> bad_regex(std::string message, std::string hint) {
  return fail(ErrorKind::invalid, std::move(message), std::move(hint), "bad_regex");
}

// The end of a line, written out: without multiline it could never match.
bool names_line_end(std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\n') return true;
    if (pattern[i] == '\\' && ++i < pattern.size() && pattern[i] == 'n') return true;
  }
  return false;
}

}  // namespace

LinePattern::LinePattern(std::unique_ptr<re2::RE2> program, PatternOptions options)
    : program_(std::move(program)), options_(options) {}
LinePattern::LinePattern(LinePattern&&) noexcept = default;
LinePattern& LinePattern::operator=(LinePattern&&) noexcept = default;
LinePattern::~LinePattern() = default;

Result<LinePattern> LinePattern::compile(std::string_view pattern, const PatternOptions& options) {
  const std::string shown = shorten(pattern, 80);
  if (pattern.size() > kMaxRegexBytes)
    return bad_regex(fmt::format("the pattern is longer than {} bytes", kMaxRegexBytes), "Search for less at a time.");
  if (!is_valid_utf8(pattern)) return bad_regex("the pattern is not UTF-8", "");
  if (!options.multiline && names_line_end(pattern))
    return bad_regex(fmt::format("the pattern \"{}\" names the end of a line", shown),
                     "Lines are searched one by one; set multiline to match across them.");
  re2::RE2::Options settings;
  settings.set_log_errors(false);
  settings.set_case_sensitive(!options.ignore_case);
  settings.set_max_mem(kPatternMemory);
  settings.set_never_nl(!options.multiline);
  auto program = std::make_unique<re2::RE2>((options.multiline ? "(?ms)" : "(?m)") + std::string(pattern), settings);
  if (!program->ok()) {
    const std::string construct = name_of_construct(*program);
    if (!construct.empty())
      return bad_regex(
          fmt::format("the pattern \"{}\" uses {}, which this linear-time engine (RE2) does not have", shown, construct),
          "Write it without, and filter what is found.");
    return bad_regex(fmt::format("the pattern \"{}\" is not a regular expression: {}", shown, program->error()),
                     "To search for the signs themselves, put a \\ before each of . * + ? ( ) [ ] { } | ^ $ \\.");
  }
  LinePattern made(std::move(program), options);
  made.matches_nothing_ =
      pattern.find_first_of("^$\\") == std::string_view::npos && re2::RE2::FullMatch(std::string_view(), *made.program_);
  if (!pattern.empty() && !options.ignore_case && pattern.find_first_of("\\.+*?()|[]{}^$") == std::string_view::npos)
    made.plain_.emplace(pattern);
  return made;
}

LinePattern::Match LinePattern::next(std::string_view text, std::size_t from) const {
  if (matches_nothing_ && !options_.multiline) return std::pair(from, from);
  if (plain_) {
    const std::size_t found = plain_->find(text, from);
    return found == text.npos ? std::nullopt : Match(std::pair(found, found + plain_->what().size()));
  }
  re2::StringPiece match;
  if (!program_->Match({text.data(), text.size()}, from, text.size(), re2::RE2::UNANCHORED, &match, 1)) return std::nullopt;
  const auto found = static_cast<std::size_t>(match.data() - text.data());
  // Behind the last line feed there is no line.
  if (found == text.size() && text.ends_with('\n')) return std::nullopt;
  return std::pair(found, found + match.size());
}

namespace {

constexpr std::size_t kMatchesBetweenAsking = 1024;

// So that $ means what it says; lone CRs stay.
std::string without_carriage_returns(std::string_view text) {
  std::string made;
  made.reserve(text.size());
  std::size_t copied = 0;
  for (std::size_t at = text.find("\r\n"); at != std::string_view::npos; at = text.find("\r\n", at + 2)) {
    made.append(text.substr(copied, at - copied));
    copied = at + 1;
  }
  return made.append(text.substr(copied));
}

class TextSearch {
 public:
  TextSearch(std::string_view text, LinePattern& pattern, std::string_view path, const GrepTextOptions& options)
      : text_(text), pattern_(pattern), path_(path), options_(options) {}

  GrepHits run() {
    std::size_t from = 0, matches = 0;
    while (from < text_.size()) {
      if (++matches % kMatchesBetweenAsking == 0 && options_.go_on && !options_.go_on()) break;
      const auto match = pattern_.next(text_, from);
      if (!match) break;
      if (options_.mode == GrepMode::files) {
        hits_.count = 1;
        break;
      }
      // A match that ends with a line feed does not touch the next line.
      const std::size_t last = match->second > match->first ? match->second - 1 : match->first;
      take_lines(match->first, last);
      if (hits_.shown.size() >= options_.max_lines && options_.mode == GrepMode::content) break;
      from = pattern_.multiline() ? std::max(match->second, match->first + character_bytes(match->first)) : taken_until_;
    }
    if (options_.mode == GrepMode::content) show_context(next_line_, options_.after);
    return std::move(hits_);
  }

 private:
  std::size_t character_bytes(std::size_t position) const {
    std::size_t bytes = 1;
    while (position + bytes < text_.size() && (static_cast<unsigned char>(text_[position + bytes]) & 0xC0) == 0x80) ++bytes;
    return bytes;
  }
  std::size_t line_begin(std::size_t position) const {
    const void* newline = position == 0 ? nullptr : ::memrchr(text_.data(), '\n', position);
    return newline ? static_cast<std::size_t>(static_cast<const char*>(newline) - text_.data()) + 1 : 0;
  }
  // Behind its line feed.
  std::size_t line_end(std::size_t position) const {
    const std::size_t newline = text_.find('\n', position);
    return newline == std::string_view::npos ? text_.size() : newline + 1;
  }

  // The lines that the bytes first..last touch, those taken already left out.
  void take_lines(std::size_t first, std::size_t last) {
    std::size_t at = std::max(line_begin(first), taken_until_);
    while (at <= last && at < text_.size()) {
      const std::size_t end = line_end(at);
      ++hits_.count;
      if (options_.mode == GrepMode::content) show_match(at, end);
      at = taken_until_ = end;
    }
  }

  void show_match(std::size_t begin, std::size_t end) {
    // What follows the match before, as far as its context goes; then what leads to this one.
    if (hits_.count > 1) show_context(next_line_, options_.after, begin);
    std::size_t lead = begin;
    for (std::size_t i = 0; i < options_.before && lead > next_line_; ++i) lead = line_begin(lead - 1);
    const bool adjacent = !hits_.shown.empty() && lead == next_line_;
    line_number_ += static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(next_line_),
                                                        text_.begin() + static_cast<std::ptrdiff_t>(lead), '\n'));
    next_line_ = lead;
    begins_group_ = !adjacent;
    while (next_line_ < begin) show(line_end(next_line_), '-');
    show(end, ':');
  }

  // Lines from where we are, at most `lines`, before `until`.
  void show_context(std::size_t from, std::size_t lines, std::size_t until = std::string_view::npos) {
    if (hits_.shown.empty()) return;
    next_line_ = from;
    for (; lines > 0 && next_line_ < std::min(until, text_.size()) && hits_.shown.size() < options_.max_lines; --lines)
      show(line_end(next_line_), '-');
  }

  // The line at next_line_.
  void show(std::size_t end, char character) {
    std::string_view line = text_.substr(next_line_, end - next_line_);
    if (line.ends_with('\n')) line.remove_suffix(1);
    const std::string_view start = line.size() > kMaxShownLine ? utf8_prefix(line, kMaxShownLine) : line;
    fmt::format_to(std::back_inserter(hits_.lines), "{}{}{}{}{}", path_, character, ++line_number_, character, start);
    if (start.size() < line.size())
      fmt::format_to(std::back_inserter(hits_.lines), " [… {} bytes more]", line.size() - start.size());
    hits_.lines += '\n';
    hits_.shown.push_back({hits_.lines.size(), begins_group_});
    begins_group_ = false;
    next_line_ = end;
  }

  std::string_view text_;
  LinePattern& pattern_;
  std::string_view path_;
  const GrepTextOptions& options_;
  GrepHits hits_;
  std::size_t taken_until_ = 0;  // lines before it are matches or none
  std::size_t next_line_ = 0;    // the first line that is not shown or passed
  std::size_t line_number_ = 0;  // of the line before it
  bool begins_group_ = true;
};

}  // namespace

GrepHits grep_text(std::string_view text, LinePattern& pattern, std::string_view path, const GrepTextOptions& options) {
  std::string unix_lines;
  if (options.has_carriage_returns && text.find('\r') != std::string_view::npos) {
    unix_lines = without_carriage_returns(text);
    text = unix_lines;
  }
  return TextSearch(text, pattern, path, options).run();
}

}  // namespace holdfast::documents
