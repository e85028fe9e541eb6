#include "net/client/retry_after.h"

#include "base/text/text.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <string>

namespace holdfast::net {

std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view value, std::chrono::system_clock::time_point now) {
  using std::chrono::milliseconds;
  constexpr std::chrono::seconds kLongest{86'400};  // no sum of it overflows
  value = trim(value);
  std::int64_t seconds = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (problem == std::errc() && end == value.data() + value.size() && seconds >= 0)
    return std::chrono::seconds(std::min<std::int64_t>(seconds, kLongest.count()));
  std::tm date{};
  const std::string text(value);
  const char* rest = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date);
  if (!rest || *rest != '\0') return std::nullopt;
  const auto away = std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::from_time_t(::timegm(&date)) - now);
  return std::clamp<milliseconds>(away, milliseconds(0), kLongest);
}

}  // namespace holdfast::net
