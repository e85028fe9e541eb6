#pragma once

// One HTTP request that ends in time: at the deadline, or when the caller gives up.

#include "net/client/http_client.h"

#include <chrono>
#include <functional>

namespace holdfast::research {

// With a connection of its own, so it may be called from any thread. Errors: those of HttpClient, timeout at the deadline.
Result<net::HttpAnswer> send_by(net::HttpCall call, std::chrono::steady_clock::time_point deadline,
                                const std::function<bool()>& cancelled);

}  // namespace holdfast::research
