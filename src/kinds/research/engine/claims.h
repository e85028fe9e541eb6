#pragma once

// What a sentence claims beyond the words it has in common with another: the numbers it names, and whether it denies. "Retries
// are enabled" and "retries are not enabled" share all their words, and so do a limit of 77 and a limit of 1,234: such sentences
// are no copies of each other. English; another language has its numbers at least. Pure.

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::research {

struct Claim {
  std::vector<std::string> stems;  // that carry meaning, without numbers and words of denial; "disabled" is "enabled", denied
  std::set<std::string> numbers;   // "1,234" is 1234, "three" is 3
  bool denies = false;
};
Claim claim_of(std::string_view sentence);

// One of the two can be left out.
bool says_the_same(const Claim& a, const Claim& b);
// About the same thing, they cannot both be right: one denies what the other says, or they name other numbers.
bool disagrees(const Claim& a, const Claim& b);

}  // namespace holdfast::research
