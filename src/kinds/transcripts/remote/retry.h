#pragma once

// A call that may be made again: one whose repetition changes nothing.

#include "net/client/http_client.h"

#include <array>
#include <chrono>
#include <functional>
#include <span>

namespace holdfast::transcripts {

// Long enough for a server that restarts a worker, short enough for a person who waits.
inline constexpr std::array kRetryPauses = {std::chrono::milliseconds(300), std::chrono::milliseconds(900)};

// Sends it again after each pause while the peer cannot be reached or says 5xx; call.progress is asked during the pauses, too.
// `before` runs before every try (a sink starts again) and may be empty.
Result<net::HttpAnswer> send_with_retries(net::HttpClient& http, const net::HttpCall& call,
                                          const std::function<Result<void>()>& before = {},
                                          std::span<const std::chrono::milliseconds> pauses = kRetryPauses);

}  // namespace holdfast::transcripts
