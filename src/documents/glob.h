#pragma once

// Patterns of paths: * and ? stay inside a segment, ** spans any number (also none), [..] and {a,b} (document-review §5 `glob`).

#include "documents/library.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

class GlobPattern {
 public:
  // Errors: invalid with code bad_argument (unbalanced brackets, too many alternatives).
  static Result<GlobPattern> compile(std::string_view pattern);
  // In time proportional to pattern times path, whatever the pattern.
  bool matches(std::string_view path) const;

 private:
  std::vector<std::vector<std::string>> alternatives_;  // segments
};

struct GlobResult {
  std::vector<std::string> paths;  // bytewise order
  std::size_t left_off = 0;
};
inline constexpr std::size_t kMaxGlobPaths = 1000;
Result<GlobResult> glob(Library& library, std::string_view pattern, std::string_view below, std::size_t limit = kMaxGlobPaths);

}  // namespace holdfast::documents
