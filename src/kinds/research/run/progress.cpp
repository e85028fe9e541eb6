#include "kinds/research/run/progress.h"

#include <algorithm>
#include <array>

namespace holdfast::research {

namespace {

struct Weight {
  std::string_view phase;
  std::int64_t before, own;  // hundredths of an iteration
};
constexpr std::array<Weight, 5> kWeights = {{
    {"planning", 0, 5},
    {"gathering", 5, 45},
    {"analysis", 50, 20},
    {"synthesis", 70, 25},
    {"refinement", 95, 5},
}};

}  // namespace

int percent_at(std::int64_t iteration, std::int64_t max_iterations, std::string_view phase, std::int64_t done,
               std::int64_t total) {
  const auto* weight = std::ranges::find(kWeights, phase, &Weight::phase);
  if (weight == kWeights.end()) return 0;
  total = std::max<std::int64_t>(total, 1);
  done = std::clamp<std::int64_t>(done, 0, total);
  // Exact: a floor of doubles would lose a percent here and there.
  const std::int64_t percent = (((iteration - 1) * 100 + weight->before) * total + weight->own * done) /
                               (std::max<std::int64_t>(max_iterations, 1) * total);
  return static_cast<int>(std::clamp<std::int64_t>(percent, 0, kMostBeforeCompleted));
}

}  // namespace holdfast::research
