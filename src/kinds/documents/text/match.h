#pragma once

// Finds what an edit means in the accepted view (document-review §5 `edit`): exactly, else with line breaks, quotes, spaces
// spelled alike.

#include "kinds/documents/text/merge.h"

#include <string_view>
#include <vector>

namespace holdfast::documents {

struct Match {
  std::size_t begin = 0, end = 0;  // in the text
};

struct Matches {
  Likeness likeness = Likeness::exact;  // the first rung of the ladder that has any
  std::vector<Match> found;             // at most kMaxMatches
  std::size_t total = 0;
};
inline constexpr std::size_t kMaxMatches = 10'000;

// Whether "aa" is twice in "aaa": to tell that a text is ambiguous, or to replace one after another.
enum class Occurrences { overlapping, apart };

// `wanted` is not empty.
Matches find_matches(std::string_view text, std::string_view wanted, Occurrences occurrences = Occurrences::overlapping);

}  // namespace holdfast::documents
