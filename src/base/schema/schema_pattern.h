#pragma once

// Patterns of a schema: ECMAScript regular expressions (with the u flag) run on RE2, in linear time.
//
// The two dialects differ in spelling (\u0041, \cC, (?<name>...)) and in meaning (., \s, [^], \p{Letter});
// to_re2 rewrites the one into the other. What RE2 cannot do at all (look-around, back-references,
// more than 1000 repetitions) is refused when the schema is compiled, never guessed.

#include "base/result.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace holdfast::schema {

// Errors: invalid; the message says what is wrong, not yet with which pattern.
Result<std::string> to_re2(std::string_view ecma);

class Pattern {
 public:
  // Errors: invalid (not a regular expression, or one RE2 cannot run) and too_large; both name the
  // pattern.
  static Result<Pattern> compile(std::string_view ecma);

  bool found_in(std::string_view text) const;  // anywhere; any thread
  std::size_t size() const;                    // instructions of the compiled program

  // Steps a search of so many bytes is charged with: the worst case of RE2 is bytes times program.
  std::size_t cost(std::size_t bytes) const;

  ~Pattern();
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;

 private:
  explicit Pattern(std::unique_ptr<re2::RE2> program);
  std::unique_ptr<re2::RE2> program_;
};

}  // namespace holdfast::schema
