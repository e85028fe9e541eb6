#include "kinds/research/engine/claims.h"

#include "base/text/text.h"
#include "kinds/research/text/question_words.h"
#include "kinds/research/text/sentence_rank.h"
#include "search/words/stems.h"
#include "search/words/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace holdfast::research {

namespace {

constexpr double kSameWords = 0.85;   // likeness of near-duplicates
constexpr double kSameSubject = 0.8;  // of all stems of both: who disagrees speaks about the same thing
constexpr std::size_t kLeastSubject = 2;

constexpr auto kDenials = std::to_array<std::string_view>(
    {"cannot", "lacks", "neither", "never", "no", "nobody", "none", "nor", "not", "nothing", "nowhere", "unable", "without"});
// They only say that the opposite is not so.
constexpr auto kAffirmations = std::to_array<std::string_view>({"always", "indeed", "yes"});

// A word that denies another, and that one.
constexpr std::string_view kOpposites =
    "denied allowed, disable enable, disabled enabled, disables enables, excluded included, false true, forbidden allowed, "
    "impossible possible, inactive active, insecure secure, invalid valid, off on, optional required, refused accepted, "
    "rejected accepted, unavailable available, unencrypted encrypted, unsafe safe, unsupported supported";

// nullopt: it denies none.
std::optional<std::string> opposite_of(const std::string& word) {
  static const std::map<std::string, std::string> table = [] {
    std::map<std::string, std::string> made;
    const std::vector<std::string> words = search::words_of(kOpposites);
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) made.emplace(words[i], words[i + 1]);
    return made;
  }();
  const auto found = table.find(word);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

constexpr std::array<std::string_view, 13> kNumberWords = {"zero",  "one",   "two",  "three", "four",   "five",  "six",
                                                           "seven", "eight", "nine", "ten",   "eleven", "twelve"};

constexpr auto kMonths = std::to_array<std::string_view>(
    {"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"});
constexpr auto kWeekdays =
    std::to_array<std::string_view>({"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"});

// What a number counts: in the smallest of its kind, so that 2 minutes are 120 s. KB and KiB are both what most people mean by
// it.
struct UnitOfCount {
  std::string_view kind;
  double factor;
};
constexpr double kSecond = 1000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 24 * kHour, kKilo = 1024;
struct NamedUnit {
  UnitOfCount unit;
  std::string_view names;  // each between blanks
};
constexpr auto kUnits = std::to_array<NamedUnit>({{{"ms", 1}, " ms millisecond milliseconds "},
                                                  {{"ms", kSecond}, " s sec second seconds "},
                                                  {{"ms", kMinute}, " min minute minutes "},
                                                  {{"ms", kHour}, " h hour hours "},
                                                  {{"ms", kDay}, " day days "},
                                                  {{"ms", 7 * kDay}, " week weeks "},
                                                  {{"months", 1}, " month months "},
                                                  {{"months", 12}, " year years "},
                                                  {{"bytes", 1}, " b byte bytes "},
                                                  {{"bytes", kKilo}, " kb kib "},
                                                  {{"bytes", kKilo* kKilo}, " mb mib "},
                                                  {{"bytes", kKilo* kKilo* kKilo}, " gb gib "},
                                                  {{"%", 1}, " percent "}});

const UnitOfCount* unit_named(std::string_view word) {
  const auto* found = std::ranges::find_if(
      kUnits, [between = fmt::format(" {} ", word)](const NamedUnit& each) { return each.names.contains(between); });
  return word.empty() || found == kUnits.end() ? nullptr : &found->unit;
}

// The word that begins there or behind blanks, folded; what is no letter ends it.
std::string word_behind(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '-')) ++at;
  std::size_t end = at;
  while (end < text.size() && ((text[end] >= 'a' && text[end] <= 'z') || (text[end] >= 'A' && text[end] <= 'Z'))) ++end;
  return to_ascii_lower(text.substr(at, end - at));
}

std::string counted(const std::string& number, const UnitOfCount& unit) {
  double value = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
  if (read.ec != std::errc() || read.ptr != number.data() + number.size()) return number;  // a version
  return fmt::format("{} {}", value * unit.factor, unit.kind);
}

// "2026-01-05" as its words would be: 5, january, 2026. Nothing when it is none.
std::vector<std::string> date_at(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-dd";
  if (text.size() < kShape.size() || (text.size() > kShape.size() && is_ascii_digit(text[kShape.size()]))) return {};
  for (std::size_t i = 0; i < kShape.size(); ++i)
    if (kShape[i] == 'd' ? !is_ascii_digit(text[i]) : text[i] != '-') return {};
  const int month = (text[5] - '0') * 10 + text[6] - '0', day = (text[8] - '0') * 10 + text[9] - '0';
  if (month < 1 || month > static_cast<int>(kMonths.size()) || day < 1) return {};
  return {std::string(text.substr(0, 4)), std::string(kMonths.at(static_cast<std::size_t>(month - 1))), std::to_string(day)};
}

// The numbers of a text as they are meant: a comma between three digits groups them, a point is part of the number.
std::set<std::string> numbers_in(std::string_view text) {
  std::set<std::string> numbers;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_ascii_digit(text[at])) {
      ++at;
      continue;
    }
    if (const auto date = date_at(text.substr(at)); !date.empty()) {
      numbers.insert(date.begin(), date.end());
      at += std::string_view("2026-01-05").size();
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
    if (at < text.size() && text[at] == '%')
      number += " %";
    else if (const UnitOfCount* unit = unit_named(word_behind(text, at)))
      number = counted(number, *unit);
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

struct BoundWords {
  std::vector<std::string> words;
  Claim::Bound bound;
};
// The longer ones first: they begin as others do.
const std::vector<BoundWords>& bound_words() {
  static const std::vector<BoundWords> all = [] {
    std::vector<BoundWords> made;
    const auto add = [&](Claim::Bound bound, std::initializer_list<std::string_view> said) {
      for (const std::string_view each : said) made.push_back({search::words_of(each), bound});
    };
    add(Claim::Bound::most, {"no more than", "not more than"});
    add(Claim::Bound::least, {"no less than", "not less than", "no fewer than"});
    add(Claim::Bound::most, {"at most", "up to", "less than", "fewer than", "or less", "maximum", "max"});
    add(Claim::Bound::least, {"at least", "more than", "or more", "minimum", "min"});
    return made;
  }();
  return all;
}

const BoundWords* bound_at(const std::vector<std::string>& words, std::size_t at) {
  for (const BoundWords& each : bound_words())
    if (at + each.words.size() <= words.size() && std::ranges::equal(each.words, std::span(words).subspan(at, each.words.size())))
      return &each;
  return nullptr;
}

// "may" and "march" are months only beside a number, or behind a word of time.
bool is_month_at(const std::vector<std::string>& words, std::size_t at) {
  if (std::ranges::find(kMonths, std::string_view(words[at])) == kMonths.end()) return false;
  if (words[at] != "may" && words[at] != "march") return true;
  constexpr auto kBefore = std::to_array<std::string_view>({"by", "in", "of", "since", "until"});
  return (at > 0 && (is_number(words[at - 1]) || std::ranges::find(kBefore, std::string_view(words[at - 1])) != kBefore.end())) ||
         (at + 1 < words.size() && is_number(words[at + 1]));
}

// "5s", "100ms", "64kb": the number is known.
bool is_counted_word(std::string_view word) {
  const std::size_t letters = word.find_first_not_of("0123456789");
  return letters != word.npos && letters > 0 && unit_named(word.substr(letters)) != nullptr;
}

// "v2" of "v2.1": the number is known.
bool is_version_word(std::string_view word) {
  return word.size() > 1 && word[0] == 'v' && is_number(word.substr(1));
}

}  // namespace

Claim claim_of(std::string_view sentence) {
  Claim claim;
  claim.numbers = numbers_in(sentence);
  const std::vector<std::string> words = search::words_of(sentence);
  std::set<std::string> seen;  // stems
  bool counts = false;         // the word before is a number
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    const bool unit = std::exchange(counts, is_number(word)) && unit_named(word) != nullptr;
    if (unit) {
      // Of "MiB", its part "mi" is another word.
      while (i + 1 < words.size() && words[i + 1].size() > 1 && word.starts_with(words[i + 1])) ++i;
      continue;
    }
    if (const BoundWords* bound = bound_at(words, i)) {
      claim.bound = bound->bound;
      i += bound->words.size() - 1;
      continue;
    }
    if (is_month_at(words, i) || std::ranges::find(kWeekdays, std::string_view(word)) != kWeekdays.end()) {
      claim.numbers.insert(std::move(word));
      continue;
    }
    if (std::ranges::find(kAffirmations, word) != kAffirmations.end() || is_version_word(word) || is_counted_word(word)) continue;
    // "no longer"
    if (word == "longer" && i > 0 && words[i - 1] == "no") continue;
    // "isn't" is read as two words.
    const bool short_not = word == "t" && i > 0 && words[i - 1].ends_with('n');
    if (short_not || std::ranges::find(kDenials, word) != kDenials.end()) {
      claim.denies = !claim.denies;
      continue;
    }
    if (auto opposite = opposite_of(word)) {
      claim.denies = !claim.denies;
      word = *std::move(opposite);
    }
    const auto number = std::ranges::find(kNumberWords, std::string_view(word));
    if (number != kNumberWords.end()) {
      const std::string value = std::to_string(number - kNumberWords.begin());
      const UnitOfCount* counted_in = i + 1 < words.size() ? unit_named(words[i + 1]) : nullptr;
      claim.numbers.insert(counted_in ? counted(value, *counted_in) : value);
      counts = true;
      continue;
    }
    // What is left of "isn't" names nothing.
    const bool rest_of_not = i + 1 < words.size() && words[i + 1] == "t" && word.ends_with('n');
    if (rest_of_not || is_number(word) || search::is_stop_word(word)) continue;
    std::string stem = search::stem_of(word);
    if (seen.insert(stem).second) claim.stems.push_back(std::move(stem));
  }
  return claim;
}

bool says_the_same(const Claim& a, const Claim& b) {
  return a.denies == b.denies && a.bound == b.bound && a.numbers == b.numbers && likeness(a.stems, b.stems) >= kSameWords;
}

bool disagrees(const Claim& a, const Claim& b) {
  if (std::min(a.stems.size(), b.stems.size()) < kLeastSubject || shared_of_all(a.stems, b.stems) < kSameSubject) return false;
  if (a.denies != b.denies) return a.numbers == b.numbers;
  if (a.numbers == b.numbers)
    return !a.numbers.empty() && a.bound != b.bound && a.bound != Claim::Bound::none && b.bound != Claim::Bound::none;
  return !std::ranges::includes(a.numbers, b.numbers) && !std::ranges::includes(b.numbers, a.numbers);
}

}  // namespace holdfast::research
