#pragma once

// What a sentence claims beyond the words it has in common with another: the numbers it names, with their units, dates, whether
// they are the most or the least, and whether it denies. "Retries are enabled" and "retries are not enabled" share all their
// words, and so do a limit of 77 and one of 1,234, 5 s and 5 ms, "up to 10" and "at least 10", "always" and "never": such
// sentences are no copies of each other. English; another language has its numbers at least. Pure.

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::research {

struct Claim {
  std::vector<std::string> stems;  // that carry meaning, without numbers and words of denial; "disabled" is "enabled", denied
  // "1,234" is 1234, "three" is 3, "2 minutes" and "120 s" are one, and so are "5 January 2026" and "2026-01-05".
  std::set<std::string> numbers;
  enum class Bound { none, most, least } bound = Bound::none;  // "up to", "at least"
  bool denies = false;
};
Claim claim_of(std::string_view sentence);

// One of the two can be left out.
bool says_the_same(const Claim& a, const Claim& b);
// About the same thing, they cannot both be right: one denies what the other says, or they name other numbers.
bool disagrees(const Claim& a, const Claim& b);

}  // namespace holdfast::research
