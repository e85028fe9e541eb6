#include "kinds/transcripts/remote/retry.h"

#include <gtest/gtest.h>

#include <deque>

namespace holdfast::transcripts {
namespace {

class ScriptedClient final : public net::HttpClient {
 public:
  explicit ScriptedClient(std::deque<Result<int>> script) : script_(std::move(script)) {}

  Result<net::HttpAnswer> send(const net::HttpCall&) override {
    ++calls;
    const Result<int> next = script_.front();
    script_.pop_front();
    if (!next) return fail(next.error());
    return net::HttpAnswer{*next, {}, {}};
  }

  int calls = 0;

 private:
  std::deque<Result<int>> script_;
};

constexpr std::array kShort = {std::chrono::milliseconds(1), std::chrono::milliseconds(2)};
const Result<int> kGone = fail(ErrorKind::unavailable, "gone");

TEST(Retry, AnAnswerThatStandsIsNotAskedForAgain) {
  for (const int status : {200, 301, 403, 404, 422, 429}) {
    ScriptedClient client({status});
    EXPECT_EQ(send_with_retries(client, {}).value().status, status);
    EXPECT_EQ(client.calls, 1);
  }
  ScriptedClient client({fail(ErrorKind::too_large, "much")});
  EXPECT_EQ(send_with_retries(client, {}).error().kind, ErrorKind::too_large);
}

TEST(Retry, ThreeTriesAreMadeEachPreparedAnew) {
  ScriptedClient client({500, kGone, 200});
  int prepared = 0;
  const auto prepare = [&]() -> Result<void> {
    ++prepared;
    return {};
  };
  EXPECT_EQ(send_with_retries(client, {}, prepare, kShort).value().status, 200);
  EXPECT_EQ(client.calls, 3);
  EXPECT_EQ(prepared, 3);
}

TEST(Retry, TheLastWordStands) {
  ScriptedClient busy({500, 502, 503});
  EXPECT_EQ(send_with_retries(busy, {}, {}, kShort).value().status, 503);
  ScriptedClient gone({500, 500, kGone});
  EXPECT_EQ(send_with_retries(gone, {}, {}, kShort).error().message, "gone");
}

TEST(Retry, ThePauseCanBeStopped) {
  ScriptedClient client({500});
  net::HttpCall call;
  call.progress = [](std::uint64_t, std::uint64_t) { return false; };
  EXPECT_EQ(send_with_retries(client, call).error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace holdfast::transcripts
