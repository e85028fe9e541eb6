#pragma once

// A regular expression that is looked for in many texts (document-review §5 `grep`): RE2, so linear in their length whatever the
// pattern, within bounded memory.
//
// A text is searched as a whole, and the lines are found around the matches: most lines are never looked at alone. A pattern
// without characters of its own is a plain text, and looked for as one.

#include "base/result.h"
#include "base/text/find_bytes.h"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace re2 {
class RE2;
}

namespace holdfast::documents {

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

}  // namespace holdfast::documents
