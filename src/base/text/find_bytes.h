#pragma once

// Where a text occurs in a long one, at memory speed: sixteen places at a time are asked for the two characters of the text that
// are the least frequent in prose and code. memmem looks at every third place or so with a hash; on word lists and lines of a few
// kilobytes this is several times as fast (docs/benchmarks.md, the text index).

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast {

// As text.find(what, from).
std::size_t find_bytes(std::string_view text, std::string_view what, std::size_t from = 0);

bool has_beyond_ascii(std::string_view text);

// The same for one text that is sought often.
class ByteFinder {
 public:
  explicit ByteFinder(std::string_view what);
  std::size_t find(std::string_view text, std::size_t from = 0) const;
  // Capital letters of ASCII in `text` count as small ones; `what` has none.
  std::size_t find_any_case(std::string_view text, std::size_t from = 0) const;
  const std::string& what() const { return what_; }

 private:
  std::string what_;
  std::size_t first_ = 0, second_ = 0;  // places in it of the two characters
};

}  // namespace holdfast
