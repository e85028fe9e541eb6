#include "kinds/transcripts/remote/retry.h"

#include "base/run/backoff.h"

namespace holdfast::transcripts {
namespace {

using std::chrono::milliseconds;

bool is_worth_another_try(const Result<net::HttpAnswer>& answer) {
  return answer ? answer->status >= 500 : answer.error().kind == ErrorKind::unavailable;
}

}  // namespace

Result<net::HttpAnswer> send_with_retries(net::HttpClient& http, const net::HttpCall& call,
                                          const std::function<Result<void>()>& before, std::span<const milliseconds> pauses) {
  for (std::size_t tries = 0;; ++tries) {
    if (before) HF_CHECK(before());
    auto answer = http.send(call);
    if (tries == pauses.size() || !is_worth_another_try(answer)) return answer;
    if (!sleep_unless(pauses[tries], [&] { return call.progress && !call.progress(0, 0); }))
      return fail(ErrorKind::cancelled, "stopped before the next try");
  }
}

}  // namespace holdfast::transcripts
