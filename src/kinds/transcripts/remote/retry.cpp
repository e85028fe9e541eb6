#include "kinds/transcripts/remote/retry.h"

#include <algorithm>
#include <thread>

namespace holdfast::transcripts {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAskEvery{50};

bool is_worth_another_try(const Result<net::HttpAnswer>& answer) {
  return answer ? answer->status >= 500 : answer.error().kind == ErrorKind::unavailable;
}

Result<void> pause(milliseconds time, const net::HttpCall& call) {
  for (; time.count() > 0; time -= kAskEvery) {
    if (call.progress && !call.progress(0, 0)) return fail(ErrorKind::cancelled, "stopped before the next try");
    std::this_thread::sleep_for(std::min(time, kAskEvery));
  }
  return {};
}

}  // namespace

Result<net::HttpAnswer> send_with_retries(net::HttpClient& http, const net::HttpCall& call,
                                          const std::function<Result<void>()>& before, std::span<const milliseconds> pauses) {
  for (std::size_t tries = 0;; ++tries) {
    if (before) HF_CHECK(before());
    auto answer = http.send(call);
    if (tries == pauses.size() || !is_worth_another_try(answer)) return answer;
    HF_CHECK(pause(pauses[tries], call));
  }
}

}  // namespace holdfast::transcripts
