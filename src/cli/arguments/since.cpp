#include "cli/arguments/since.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

namespace holdfast::cli {

namespace {

struct Unit {
  char sign;
  Millis millis;
};
constexpr std::array kUnits = {Unit{'s', 1000}, Unit{'m', 60'000}, Unit{'h', 3'600'000}, Unit{'d', 86'400'000},
                               Unit{'w', 604'800'000}};
constexpr Millis kHighestAge = 100'000;  // of any unit: 19 centuries of weeks, and far from where milliseconds end

std::optional<Millis> parse_age(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto unit = std::ranges::find(kUnits, text.back(), &Unit::sign);
  text.remove_suffix(1);
  Millis number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = status == std::errc() && end == text.data() + text.size();
  if (unit == kUnits.end() || !whole || number < 0 || number > kHighestAge) return std::nullopt;
  return number * unit->millis;
}

Result<Millis> parse_instant(std::string_view text) {
  if (const auto day = parse_time(fmt::format("{}T00:00:00Z", text))) return *day;
  auto time = parse_time(text);
  if (!time) time.error().hint = fmt::format("give {}", kSinceForms);
  return time;
}

}  // namespace

Result<Millis> parse_since(std::string_view text, Millis now) {
  if (const auto age = parse_age(text)) return now - *age;
  return parse_instant(text);
}

Result<Millis> parse_until(std::string_view text, Millis now) {
  Millis until = 0;
  if (const auto age = parse_age(text)) {
    until = now + *age;
  } else {
    HF_TRY(until, parse_instant(text));
  }
  if (until <= now) return fail(ErrorKind::invalid, fmt::format("{} is over already", text), "name a time to come, such as 30d");
  return until;
}

}  // namespace holdfast::cli
