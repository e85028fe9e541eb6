#pragma once

// grep in one text: which lines match, and how they are shown.

#include "base/result.h"
#include "base/text/find_bytes.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace re2 {
class RE2;
}

namespace holdfast::documents {

// A regular expression that is looked for in many texts (document-review §5 `grep`): RE2, so linear in their length whatever the
// pattern, within bounded memory.
//
// A text is searched as a whole, and the lines are found around the matches: most lines are never looked at alone. A pattern
// without characters of its own is a plain text, and looked for as one.
struct PatternOptions {
  bool ignore_case = false;
  bool multiline = false;  // a match may span lines, and . matches the end of one
};

class LinePattern {
 public:
  // Errors: invalid with code bad_regex, naming what is not understood.
  static Result<LinePattern> compile(std::string_view pattern, const PatternOptions& options);
  LinePattern(LinePattern&&) noexcept;
  LinePattern& operator=(LinePattern&&) noexcept;
  ~LinePattern();

  // The first match at or after a position, which is the beginning of a line unless multiline. Its borders are exact when
  // multiline; else both lie within the matching line. One thread at a time.
  using Match = std::optional<std::pair<std::size_t, std::size_t>>;
  Match next(std::string_view text, std::size_t from) const;

  bool multiline() const { return options_.multiline; }

 private:
  LinePattern(std::unique_ptr<re2::RE2> program, PatternOptions options);

  std::unique_ptr<re2::RE2> program_;
  PatternOptions options_;
  bool matches_nothing_ = false;     // also the empty text, at any place: every line matches
  std::optional<ByteFinder> plain_;  // the pattern is a plain text
};

// Of a longer line its beginning is shown: the rest would push everything else out of the answer.
inline constexpr std::size_t kMaxShownLine = 2000;

enum class GrepMode { files, content, count };

struct GrepTextOptions {
  GrepMode mode = GrepMode::files;
  std::size_t before = 0, after = 0;  // lines of context
  std::size_t max_lines = 0;          // of content; more are not looked for
  bool has_carriage_returns = true;   // false: there are none, which saves looking
  std::function<bool()> go_on;        // asked now and then; may be empty
};

// Lines of content, one behind the other.
struct ShownLine {
  std::size_t end = 0;        // in `lines`, line feed included
  bool begins_group = false;  // it does not follow the one before
};

struct GrepHits {
  std::size_t count = 0;  // matching lines; 1 when only asked whether there is one
  std::string lines;
  std::vector<ShownLine> shown;
};

// Lines end with LF or CR LF; the end is no part of them. Path: put before every line shown.
GrepHits grep_text(std::string_view text, LinePattern& pattern, std::string_view path, const GrepTextOptions& options);

}  // namespace holdfast::documents
