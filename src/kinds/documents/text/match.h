#pragma once

// Finds what an edit means in the accepted view (document-review §5 `edit`): exactly, else with line breaks, quotes, spaces
// spelled alike.

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

// How two spellings can mean the same (the ladder of §5 `edit`): each rung takes what the one before took.
enum class Likeness { exact, line_breaks, quotes, spaces };
// Tokens that are alike have one key.
std::string like_key(std::string_view token, Likeness likeness);

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

// The line ending used at a place: that of the line before, else of the line after.
std::string_view line_break_at(std::string_view text, std::size_t position);

// A model's text in the spelling of the document it goes into: what only differs in line breaks, quotes or blanks that a model
// cannot tell apart keeps the document's own bytes, and new line breaks are those of the place. What shall stand in [begin, end)
// of the text instead of what is there.
std::string respelled(std::string_view text, std::size_t begin, std::size_t end, std::string_view new_text, Likeness likeness);

}  // namespace holdfast::documents
