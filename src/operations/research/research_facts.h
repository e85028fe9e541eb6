#pragma once

// What operations on threads and runs return, for surfaces that also look at them in other ways; and the limits of a run as
// parameters.

#include "kinds/research/run/run.h"
#include "kinds/threads/threads.h"
#include "operations/operation.h"

namespace holdfast::operations {

// Status, and the report once the run is completed.
Result<JsonObject> run_facts(research::Research& research, const session::SessionRecord& run);

namespace limits {
inline constexpr std::size_t kCount = std::size(research::kLimits);
// What holds when one is not given, in digits.
inline constexpr auto kDigits = [] {
  std::array<std::array<char, 20>, kCount> all{};
  for (std::size_t i = 0; i < kCount; ++i) {
    std::int64_t rest = research::kLimits[i].fallback;
    std::size_t length = 1;
    for (std::int64_t tens = rest / 10; tens > 0; tens /= 10) ++length;
    for (std::size_t at = length; at-- > 0; rest /= 10) all[i][at] = static_cast<char>('0' + rest % 10);
  }
  return all;
}();
}  // namespace limits

inline constexpr auto kLimitParameters = [] {
  std::array<Parameter, limits::kCount> all{};
  for (std::size_t i = 0; i < limits::kCount; ++i) {
    const research::LimitInfo& each = research::kLimits[i];
    all[i] = {.name = each.name,
              .type = Parameter::Type::number,
              .help = each.help,
              .fallback = limits::kDigits[i].data(),
              .least = each.lowest,
              .most = each.highest};
  }
  return all;
}();

}  // namespace holdfast::operations
