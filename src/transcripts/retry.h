#pragma once

// A call that may be made again: one whose repetition changes nothing.

#include "net/http_client.h"

#include <functional>

namespace holdfast::transcripts {

// Sends it up to three times, with growing pauses, while the peer cannot be reached or says 5xx; call.progress is asked during
// the pauses, too. `before` runs before every try (a sink starts again) and may be empty.
Result<net::HttpAnswer> send_with_retries(net::HttpClient& http, const net::HttpCall& call,
                                          const std::function<Result<void>()>& before = {});

}  // namespace holdfast::transcripts
