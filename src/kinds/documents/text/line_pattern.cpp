#include "kinds/documents/text/line_pattern.h"

#include "base/text/text.h"

#include <fmt/format.h>
#include <re2/re2.h>

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

}  // namespace holdfast::documents
