#include "kinds/research/sources/remote_search.h"

#include "net/client/http_client.h"

#include <fmt/format.h>

namespace holdfast::research {

RemoteFault fault_of(Error error) {
  const bool passing = error.kind == ErrorKind::unavailable || error.kind == ErrorKind::timeout;
  return {passing ? RemoteFault::Kind::passing : RemoteFault::Kind::final, std::move(error), {}};
}

RemoteFault fault_of(std::string_view name, const net::HttpAnswer& answer) {
  const int status = answer.status;
  const auto retry_after = net::parse_retry_after(answer.header("retry-after"), std::chrono::system_clock::now());
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

}  // namespace holdfast::research
