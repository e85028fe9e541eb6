#pragma once

// Which addresses a link from outside may lead to: those of the public internet, no others (threads-and-research §10).
//
// A page, a search result or a redirect may name any host; following it must not reach this machine, its network, or the service
// that hands out a cloud machine's keys (169.254.169.254, fd00:ec2::254). Addresses that carry an IPv4 address inside (mapped,
// NAT64, 6to4) are judged by that one.

#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::research {

// Why a numeric address is not to be visited ("loopback", "private network", …); nullopt when it may. "not an address" for
// others.
std::optional<std::string_view> why_not_public(std::string_view address);

// All addresses of a host, numeric, in the order of the system's resolver. Waits for that as long as the system lets it.
// Errors: unavailable.
Result<std::vector<std::string>> resolve_host(const std::string& host);

}  // namespace holdfast::research
