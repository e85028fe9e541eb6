#pragma once

// How far a run is (threads-and-research §11).

#include <cstdint>
#include <string_view>

namespace holdfast::research {

inline constexpr int kMostBeforeCompleted = 99;

// floor(100·((iteration−1)+w)/max_iterations); w is the weight of the phases before this one and of the part of it that is done.
// A word that is no phase counts nothing. At most 99; that it never decreases is seen to by whoever stores it.
int percent_at(std::int64_t iteration, std::int64_t max_iterations, std::string_view phase, std::int64_t done,
               std::int64_t total);

}  // namespace holdfast::research
