#pragma once

// The scoring of texts by the words of a question (Robertson, BM25). Documents, passages and sessions use the same numbers, so
// that their scores can stand beside each other.

#include <cmath>

namespace holdfast::search {

inline constexpr double kSaturation = 1.2;     // k1: how soon a further occurrence stops counting
inline constexpr double kLengthWeight = 0.75;  // b: how much a long text must show more

// What a word tells that `holding` of `texts` texts hold. Never negative, also of a word that is everywhere.
inline double word_weight(double texts, double holding) {
  return std::log(1 + (texts - holding + 0.5) / (holding + 0.5));
}

inline double length_norm(double length, double mean_length) {
  return kSaturation * (1 - kLengthWeight + kLengthWeight * (mean_length > 0 ? length / mean_length : 1));
}

// Times word_weight: what `occurrences` of one word add to the score of a text. Below kHighestTerm.
inline double term_score(double occurrences, double norm) {
  return occurrences * (kSaturation + 1) / (occurrences + norm);
}
inline constexpr double kHighestTerm = kSaturation + 1;

}  // namespace holdfast::search
