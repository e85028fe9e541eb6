#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace holdfast::net {

// What a Retry-After header asks for: seconds, or a date (RFC 9110), which `now` makes a distance; one in the past is zero.
// nullopt for anything else. More than a day is as good as never, and a day is what is said of it.
std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view value, std::chrono::system_clock::time_point now);

}  // namespace holdfast::net
