#include "kinds/research/sources/timed_call.h"

#include <algorithm>

namespace holdfast::research {

Result<net::HttpAnswer> send_by(net::HttpCall call, std::chrono::steady_clock::time_point deadline,
                                const std::function<bool()>& cancelled) {
  using std::chrono::steady_clock;
  const auto late = [deadline] { return steady_clock::now() >= deadline; };
  const auto out_of_time = [] { return make_error(ErrorKind::timeout, "the time given for the request is over"); };
  if (cancelled && cancelled()) return fail(ErrorKind::cancelled, "stopped before the request was sent");
  if (late()) return fail(out_of_time());
  HF_TRY(const auto client, net::HttpClient::make());
  if (deadline != steady_clock::time_point::max()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - steady_clock::now());
    call.connect_timeout = std::clamp(left, std::chrono::milliseconds(1), call.connect_timeout);
  }
  call.progress = [&](std::uint64_t, std::uint64_t) { return !late() && !(cancelled && cancelled()); };
  auto answer = client->send(call);
  if (!answer && answer.error().kind == ErrorKind::cancelled && late()) return fail(out_of_time());
  return answer;
}

}  // namespace holdfast::research
