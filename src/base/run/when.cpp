#include "base/run/when.h"

#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

namespace holdfast {

namespace {

struct AgeUnit {
  char letter;
  Millis millis;
};
constexpr std::array kAgeUnits = {AgeUnit{'s', 1000}, AgeUnit{'m', 60'000}, AgeUnit{'h', 3'600'000}, AgeUnit{'d', 86'400'000},
                                  AgeUnit{'w', 604'800'000}};
constexpr Millis kHighestAge = 100'000;  // of any unit: 19 centuries of weeks, and far from where milliseconds end
constexpr std::size_t kShownChars = 64;  // of what is no time

std::optional<Millis> read_age(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto unit = std::ranges::find(kAgeUnits, text.back(), &AgeUnit::letter);
  text.remove_suffix(1);
  Millis number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = status == std::errc() && end == text.data() + text.size();
  if (unit == kAgeUnits.end() || !whole || number < 0 || number > kHighestAge) return std::nullopt;
  return number * unit->millis;
}

std::optional<Millis> read_date(std::string_view text) {
  auto midnight = parse_time(fmt::format("{}T00:00:00Z", text));
  if (!midnight) return std::nullopt;
  return *midnight;
}

Result<Millis> read_instant(std::string_view text) {
  if (const auto midnight = read_date(text)) return *midnight;
  auto time = parse_time(text);
  if (time) return time;
  return fail(ErrorKind::invalid, fmt::format("\"{}\" is not a time", to_valid_utf8(utf8_prefix(text, kShownChars))),
              fmt::format("give {}", kWhenForms));
}

}  // namespace

Result<Millis> parse_when(std::string_view text, Millis now) {
  if (const auto age = read_age(text)) return now - *age;
  return read_instant(text);
}

Result<Millis> parse_until(std::string_view text, Millis now) {
  Millis until = 0;
  if (const auto age = read_age(text)) {
    until = now + *age;
  } else {
    HF_TRY(until, read_instant(text));
  }
  if (until <= now) return fail(ErrorKind::invalid, fmt::format("{} is over already", text), "name a time to come, such as 30d");
  return until;
}

bool is_age(std::string_view text) {
  return read_age(text).has_value();
}

bool is_date(std::string_view text) {
  return read_date(text).has_value();
}

}  // namespace holdfast
