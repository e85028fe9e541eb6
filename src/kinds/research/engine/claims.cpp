#include "kinds/research/engine/claims.h"

#include "base/text/text.h"
#include "base/text/words.h"
#include "kinds/research/text/sentence_rank.h"
#include "kinds/research/text/stems.h"

#include <algorithm>
#include <array>
#include <utility>

namespace holdfast::research {

namespace {

constexpr double kSameWords = 0.85;   // likeness of near-duplicates
constexpr double kSameSubject = 0.8;  // of all stems of both: who disagrees speaks about the same thing
constexpr std::size_t kLeastSubject = 2;

constexpr auto kDenials = std::to_array<std::string_view>(
    {"cannot", "neither", "never", "no", "nobody", "none", "nor", "not", "nothing", "nowhere", "without"});

// Words that deny another.
constexpr auto kOpposites = std::to_array<std::pair<std::string_view, std::string_view>>({{"disable", "enable"},
                                                                                          {"disabled", "enabled"},
                                                                                          {"disables", "enables"},
                                                                                          {"false", "true"},
                                                                                          {"forbidden", "allowed"},
                                                                                          {"impossible", "possible"},
                                                                                          {"inactive", "active"},
                                                                                          {"invalid", "valid"},
                                                                                          {"optional", "required"},
                                                                                          {"unsafe", "safe"},
                                                                                          {"unsupported", "supported"}});

constexpr std::array<std::string_view, 13> kNumberWords = {"zero",  "one",   "two",  "three", "four",   "five",  "six",
                                                           "seven", "eight", "nine", "ten",   "eleven", "twelve"};

// The numbers of a text as they are meant: a comma between three digits groups them, a point is part of the number.
std::set<std::string> numbers_in(std::string_view text) {
  std::set<std::string> numbers;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_ascii_digit(text[at])) {
      ++at;
      continue;
    }
    std::string number;
    const auto digits_at = [&](std::size_t from) {
      std::size_t count = 0;
      while (from + count < text.size() && is_ascii_digit(text[from + count])) ++count;
      return count;
    };
    for (;;) {
      const std::size_t digits = digits_at(at);
      number += text.substr(at, digits);
      at += digits;
      if (at >= text.size()) break;
      const std::size_t behind = digits_at(at + 1);
      const bool groups = text[at] == ',' && behind == 3;
      const bool goes_on = groups || (text[at] == '.' && behind > 0);
      if (!goes_on) break;
      if (!groups) number += '.';
      ++at;
    }
    numbers.insert(std::move(number));
  }
  return numbers;
}

bool is_number(std::string_view word) {
  return std::ranges::all_of(word, is_ascii_digit);
}

double shared_of_all(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const std::set<std::string_view> in_a(a.begin(), a.end()), in_b(b.begin(), b.end());
  std::set<std::string_view> all = in_a;
  all.insert(in_b.begin(), in_b.end());
  const auto shared = std::ranges::count_if(in_a, [&](std::string_view stem) { return in_b.contains(stem); });
  return all.empty() ? 0 : static_cast<double>(shared) / static_cast<double>(all.size());
}

}  // namespace

Claim claim_of(std::string_view sentence) {
  Claim claim;
  claim.numbers = numbers_in(sentence);
  const std::vector<std::string> words = words_of(sentence);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    // "isn't" is read as two words.
    const bool short_not = word == "t" && i > 0 && words[i - 1].ends_with('n');
    if (short_not || std::ranges::find(kDenials, word) != kDenials.end()) {
      claim.denies = !claim.denies;
      continue;
    }
    const auto* opposite =
        std::ranges::find(kOpposites, std::string_view(word), &std::pair<std::string_view, std::string_view>::first);
    if (opposite != kOpposites.end()) {
      claim.denies = !claim.denies;
      word = opposite->second;
    }
    const auto number = std::ranges::find(kNumberWords, std::string_view(word));
    if (number != kNumberWords.end()) {
      claim.numbers.insert(std::to_string(number - kNumberWords.begin()));
      continue;
    }
    // What is left of "isn't" names nothing.
    const bool rest_of_not = i + 1 < words.size() && words[i + 1] == "t" && word.ends_with('n');
    if (rest_of_not || is_number(word) || is_stop_word(word)) continue;
    std::string stem = stem_of(word);
    if (std::ranges::find(claim.stems, stem) == claim.stems.end()) claim.stems.push_back(std::move(stem));
  }
  return claim;
}

bool says_the_same(const Claim& a, const Claim& b) {
  return a.denies == b.denies && a.numbers == b.numbers && likeness(a.stems, b.stems) >= kSameWords;
}

bool disagrees(const Claim& a, const Claim& b) {
  if (std::min(a.stems.size(), b.stems.size()) < kLeastSubject || shared_of_all(a.stems, b.stems) < kSameSubject) return false;
  if (a.denies != b.denies) return a.numbers == b.numbers;
  return !std::ranges::includes(a.numbers, b.numbers) && !std::ranges::includes(b.numbers, a.numbers);
}

}  // namespace holdfast::research
