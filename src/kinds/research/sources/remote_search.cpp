#include "kinds/research/sources/remote_search.h"

#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>

namespace holdfast::research {

RemoteFault fault_of(Error error) {
  const bool passing = error.kind == ErrorKind::unavailable || error.kind == ErrorKind::timeout;
  return {passing ? RemoteFault::Kind::passing : RemoteFault::Kind::final, std::move(error), {}};
}

RemoteFault fault_of(std::string_view name, const net::HttpAnswer& answer) {
  const int status = answer.status;
  const auto retry_after = parse_retry_after(answer.header("retry-after"), SystemClock().now());
  if (status == 429)
    return {RemoteFault::Kind::rate_limited,
            make_error(ErrorKind::unavailable, fmt::format("{} was asked too often", name), "try again later", "RATE_LIMITED"),
            retry_after};
  if (status >= 500)
    return {RemoteFault::Kind::passing,
            make_error(ErrorKind::unavailable, fmt::format("{} answered with status {}", name, status)), retry_after};
  if (status == 401 || status == 403)
    return {RemoteFault::Kind::final,
            make_error(ErrorKind::unauthorised, fmt::format("{} did not accept the key (status {})", name, status),
                       "check the environment variable that api_key_env names"),
            {}};
  return {RemoteFault::Kind::final, make_error(ErrorKind::refused, fmt::format("{} answered with status {}", name, status)), {}};
}

std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view header, Millis now) {
  header = trim(header);
  if (header.empty()) return {};
  // More than a day is as good as never; and no sum of it overflows.
  constexpr std::int64_t kLongest = 86'400;
  std::int64_t seconds = 0;
  const auto [end, problem] = std::from_chars(header.data(), header.data() + header.size(), seconds);
  if (end == header.data() + header.size() && problem == std::errc() && seconds >= 0)
    return std::chrono::seconds(std::min(seconds, kLongest));
  std::tm date{};
  const std::string text(header);
  const char* rest = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date);
  if (!rest || *rest != '\0') return {};
  const Millis away = static_cast<Millis>(::timegm(&date)) * 1000 - now;
  return std::chrono::milliseconds(std::clamp<Millis>(away, 0, kLongest * 1000));
}

}  // namespace holdfast::research
