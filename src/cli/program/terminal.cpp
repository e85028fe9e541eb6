#include "cli/program/terminal.h"

#include "base/files/file.h"
#include "base/text/text.h"

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <optional>

namespace holdfast::cli {

namespace {

constexpr std::size_t kNarrowest = 12;  // characters that a column that gives way keeps
constexpr std::size_t kUsualWidth = 80;
constexpr std::string_view kGap = "  ";
constexpr std::string_view kIndent = "  ";

// The first failure of standard output.
struct LostOutput {
  std::mutex mutex;
  std::optional<Error> first;
};
LostOutput& lost() {
  static LostOutput only;
  return only;
}

// Every line of it; most texts have one, a list of matches has more.
std::string indented_lines(std::string_view text) {
  const std::string lines = harmless(text, false);
  std::string out;
  for (std::size_t from = 0; from < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', from), lines.size());
    out += fmt::format("{}{}\n", kIndent, trim(std::string_view(lines).substr(from, end - from)));
    from = end + 1;
  }
  return out;
}

void append_padded(std::string& line, const std::string& cell, std::size_t width, bool to_the_right) {
  const std::size_t length = utf8_length(cell);
  const std::string blanks(width > length ? width - length : 0, ' ');
  line += to_the_right ? blanks + cell : cell + blanks;
}

}  // namespace

Terminal Terminal::of_stdout() {
  Terminal terminal;
  if (::isatty(STDOUT_FILENO) == 0) return terminal;
  const char* no_colour = std::getenv("NO_COLOR");
  terminal.colours = !no_colour || *no_colour == '\0';
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  terminal.width = known ? size.ws_col : kUsualWidth;
  return terminal;
}

std::string Terminal::bold(std::string_view text) const {
  return colours ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}

std::string Terminal::red(std::string_view text) const {
  return colours ? fmt::format("\x1b[31m{}\x1b[0m", text) : std::string(text);
}

std::string Terminal::green(std::string_view text) const {
  return colours ? fmt::format("\x1b[32m{}\x1b[0m", text) : std::string(text);
}

std::string Terminal::soft(std::string_view text) const {
  return colours ? fmt::format("\x1b[2m{}\x1b[0m", text) : std::string(text);
}

void print(std::string_view text) {
  auto written = print_bytes(text);
  if (written || written.error().kind == ErrorKind::unavailable) return;
  const std::lock_guard lock(lost().mutex);
  if (!lost().first) lost().first = std::move(written).error();
}

Result<void> print_bytes(std::string_view bytes) {
  return write_all(STDOUT_FILENO, bytes);
}

Result<void> what_was_lost() {
  const std::lock_guard lock(lost().mutex);
  if (!lost().first) return {};
  return fail(ErrorKind::io, "standard output: " + lost().first->message,
              "what the command did is done, but its answer is incomplete");
}

void print_json(const Json& value) {
  print(to_json(value) + "\n");
}

void print_note(std::string_view text) {
  [[maybe_unused]] auto written = write_all(STDERR_FILENO, text);
}

void print_error(const Error& error, bool json, std::string_view prefix) {
  std::string text;
  if (json) {
    JsonObject fields{{"code", error.word()}, {"message", error.message}};
    if (!error.hint.empty()) fields["hint"] = error.hint;
    text = to_json(JsonObject{{"error", std::move(fields)}}) + "\n";
  } else {
    text = std::string(prefix) +
           indented_lines(error.message.empty() ? error.word() : std::string_view(error.message)).substr(kIndent.size()) +
           indented_lines(error.hint);
  }
  print_note(text);
}

// Characters that steer a terminal or turn the direction of what follows: U+0080 to U+009F, U+061C, U+200E, U+200F, U+202A to
// U+202E, U+2066 to U+2069. In valid UTF-8; 0: none.
static std::size_t length_of_control(std::string_view text) {
  if (text.size() > 1 && text[0] == '\xC2' && static_cast<unsigned char>(text[1]) < 0xA0) return 2;
  constexpr std::array<std::string_view, 12> kCharacters = {"\u061C", "\u200E", "\u200F", "\u202A", "\u202B", "\u202C",
                                                            "\u202D", "\u202E", "\u2066", "\u2067", "\u2068", "\u2069"};
  for (const std::string_view character : kCharacters)
    if (text.starts_with(character)) return character.size();
  return 0;
}

std::string harmless(std::string_view text, bool one_line) {
  std::string out;
  const std::string valid = to_valid_utf8(text);
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const char c = valid[i];
    const std::size_t control =
        c == '\xE2' || c == '\xD8' || c == '\xC2' ? length_of_control(std::string_view(valid).substr(i)) : 0;
    if (control > 0) {
      out += "\xEF\xBF\xBD";
      i += control - 1;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n' && !one_line)
      out += c;
    else if (c == '\n' || c == '\t')
      out += ' ';
    else if (byte < 0x20 || byte == 0x7f)
      out += "\xEF\xBF\xBD";
    else
      out += c;
  }
  return out;
}

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = harmless(cell, true);
  rows_.push_back(std::move(cells));
}

std::string Table::text(const Terminal& terminal) const {
  std::vector<std::size_t> widths;
  std::size_t whole = kGap.size() * (columns_.size() - 1);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = utf8_length(columns_[i].heading);
    for (const auto& row : rows_) width = std::max(width, utf8_length(row[i]));
    widths.push_back(width);
    whole += width;
  }
  for (std::size_t i = 0; i < columns_.size() && terminal.width > 0 && whole > terminal.width; ++i) {
    if (!columns_[i].gives_way) continue;
    const std::size_t narrower = std::max(kNarrowest, widths[i] - std::min(widths[i], whole - terminal.width));
    whole -= widths[i] - std::min(widths[i], narrower);
    widths[i] = std::min(widths[i], narrower);
  }
  auto line_of = [&](auto&& cell_at) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) line += kGap;
      append_padded(line, cell_at(i), widths[i], columns_[i].to_the_right);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  };
  std::string out = terminal.bold(line_of([&](std::size_t i) { return columns_[i].heading; })) + "\n";
  for (const auto& row : rows_)
    out +=
        line_of([&](std::size_t i) { return utf8_length(row[i]) > widths[i] ? shorten(row[i], widths[i] - 1) : row[i]; }) + "\n";
  return out;
}

bool somebody_is_there() {
  return ::isatty(STDIN_FILENO) != 0 && ::isatty(STDERR_FILENO) != 0;
}

char read_key() {
  termios before{};
  if (::tcgetattr(STDIN_FILENO, &before) != 0) return 0;
  termios keys = before;
  keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
  keys.c_cc[VMIN] = 1;
  keys.c_cc[VTIME] = 0;
  if (::tcsetattr(STDIN_FILENO, TCSADRAIN, &keys) != 0) return 0;
  // What a key sends beyond its first byte comes with it.
  constexpr std::size_t kLongestKey = 16;
  std::array<char, kLongestKey> sent{};
  const ssize_t bytes = ::read(STDIN_FILENO, sent.data(), 1);
  const bool steers = bytes == 1 && sent[0] == '\x1b';
  keys.c_cc[VMIN] = 0;
  if (steers && ::tcsetattr(STDIN_FILENO, TCSADRAIN, &keys) == 0) {
    [[maybe_unused]] const ssize_t rest = ::read(STDIN_FILENO, sent.data() + 1, sent.size() - 1);
  }
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
  return bytes == 1 ? sent[0] : '\0';
}

std::string read_answer(std::size_t longest) {
  std::string answer;
  for (char c = 0; answer.size() < longest && ::read(STDIN_FILENO, &c, 1) == 1 && c != '\n';) answer += c;
  return std::string(trim(answer));
}

}  // namespace holdfast::cli
