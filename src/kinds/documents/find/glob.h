#pragma once

// Documents by the pattern of their paths (document-review §5 `glob`): * and ? stay inside a segment, ** spans, [..], {a,b}.

#include "base/text/wildcard.h"
#include "kinds/documents/files/library.h"

#include <functional>
#include <string>
#include <vector>

namespace holdfast::documents {

inline constexpr std::size_t kMaxGlobPaths = 1000;

struct GlobRequest {
  std::string pattern;
  std::string path;  // a folder: the pattern is matched against the part below it
  std::function<bool()> cancelled;
};

// Whether a path fits; compiled once, matched often, by any thread. Errors: invalid with code bad_argument (says where the
// pattern is wrong).
class GlobPattern {
 public:
  static Result<GlobPattern> compile(std::string_view pattern);
  bool matches(std::string_view path) const;

 private:
  std::vector<std::vector<Wildcard>> alternatives_;  // segments
};

// The text of the answer.
Result<std::string> glob(Library& library, const GlobRequest& request);

}  // namespace holdfast::documents
