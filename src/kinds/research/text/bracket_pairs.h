#pragma once

// Which bracket closes which in a line of markdown. All of them are paired at once, so that rows and nests of brackets take no
// longer than other text of their length.

#include <cstddef>
#include <string_view>
#include <vector>

namespace holdfast::research {

class BracketPairs {
 public:
  static constexpr std::size_t npos = std::string_view::npos;

  explicit BracketPairs(std::string_view line);

  // Of "[" and "(": what closes it; square brackets behind a backslash count as text. Of "<": the next ">". npos: nothing, or it
  // is none of these.
  std::size_t closing(std::size_t open) const { return closing_[open]; }

 private:
  std::vector<std::size_t> closing_;  // for each byte
};

}  // namespace holdfast::research
