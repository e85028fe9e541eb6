#pragma once

// What a person sees: text on stdout, errors on stderr. Colours and cutting to width only on a terminal.

#include "base/error.h"
#include "base/json/json.h"
#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

inline constexpr std::string_view kEraseLine = "\r\x1b[K";

struct Terminal {
  bool colours = false;   // stdout is a terminal and NO_COLOR is not set
  std::size_t width = 0;  // columns; 0: not a terminal, nothing is cut

  static Terminal of_stdout();
  bool is_terminal() const { return width != 0; }

  std::string bold(std::string_view text) const;
  std::string red(std::string_view text) const;
  std::string green(std::string_view text) const;
  std::string soft(std::string_view text) const;
};

inline constexpr std::string_view kStandardOutput = "-";  // where a file is asked for

// To stdout, flushed. A reader that has gone is no error of ours; any other is remembered for what_was_lost().
void print(std::string_view text);
void print_json(const Json& value);  // one line
// A part of a document, whose writer wants to know at once.
Result<void> print_bytes(std::string_view bytes);
// Asked once when a command is done: not all that was printed has arrived. Errors: those of writing (a full disk, a closed
// stdout).
Result<void> what_was_lost();

// "holdfast: message", then further lines of it and those of the hint, indented; with json, {"error":{...}} on stderr.
void print_error(const Error& error, bool json, std::string_view prefix = "holdfast: ");
// To stderr: prose that is no result.
void print_note(std::string_view text);

// Whether a question could be put and answered.
bool somebody_is_there();
// One line of the terminal, without white space around it.
inline constexpr std::size_t kLongestAnswer = 256;  // bytes; usually an id is the longest answer there is
std::string read_answer(std::size_t longest = kLongestAnswer);
// One key of the terminal, at once and not shown. 0: there are no more. Ctrl-C is a key like any other, so that the terminal is
// left as it was found; keys that send several bytes (arrows) are '\x1b'.
char read_key();

// Columns as wide as their widest cell; on a terminal one column gives way so that lines fit.
class Table {
 public:
  struct Column {
    std::string heading;
    bool to_the_right = false;
    bool gives_way = false;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells);  // control characters are made visible
  std::string text(const Terminal& terminal) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Text that somebody else wrote, safe to show: no escape sequences, optionally no line ends.
std::string harmless(std::string_view text, bool one_line);

}  // namespace holdfast::cli
