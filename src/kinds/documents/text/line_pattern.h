#pragma once

// A regular expression that is looked for in many texts (document-review §5 `grep`): RE2, so linear in their length whatever the
// pattern, within bounded memory.
//
// A text is searched as a whole, and the lines are found around the matches: most lines are never looked at alone. When every
// match must contain some literal text, that is looked for first.

#include "base/result.h"
#include "kinds/documents/find/literal_finder.h"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

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
  // From 0 on a text is another one.
  using Match = std::optional<std::pair<std::size_t, std::size_t>>;
  Match next(std::string_view text, std::size_t from);

  bool multiline() const { return options_.multiline; }

 private:
  struct Literal {
    LiteralFinder finder;
    std::size_t at = 0;  // where it is found next; npos: not any more
  };
  LinePattern(std::unique_ptr<re2::RE2> program, PatternOptions options);
  Match search(std::string_view text, std::size_t begin, std::size_t end) const;
  const Literal* next_literal(std::string_view text, std::size_t from);

  std::unique_ptr<re2::RE2> program_;
  PatternOptions options_;
  bool matches_nothing_ = false;   // also the empty text, at any place: every line matches
  std::vector<Literal> literals_;  // every match contains one; none when not known
  bool literal_is_all_ = false;    // and it is a match by itself
};

}  // namespace holdfast::documents
