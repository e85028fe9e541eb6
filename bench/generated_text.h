#pragma once

// For benchmarks: text that is the same every time, of words about as frequent as in real text.

#include <cmath>
#include <cstdint>
#include <string>

namespace holdfast::bench {

inline constexpr double kVocabulary = 200'000;  // distinct words, the frequent ones a few hundred, as in real text

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return state_ >> 33;
  }
  double share() { return static_cast<double>(next()) / static_cast<double>(1ULL << 31); }

 private:
  std::uint64_t state_;
};

inline std::string word_of(std::uint64_t rank) {
  static constexpr const char* kSyllables[] = {"ta", "re", "mo", "ni", "ka",  "lu", "se",  "pro", "con", "ter", "ing", "al",
                                               "de", "st", "or", "un", "ver", "is", "qua", "bi",  "fe",  "go",  "ha",  "jo"};
  std::string word;
  for (rank += 24; rank > 0; rank /= 24) word += kSyllables[rank % 24];
  return word;
}

// Rank r with a probability of about 1/r.
inline std::uint64_t random_rank(Numbers& numbers) {
  return static_cast<std::uint64_t>(std::exp(numbers.share() * std::log(kVocabulary)));
}

}  // namespace holdfast::bench
