#include "net/client/http_client.h"

#include <gtest/gtest.h>

namespace holdfast::net {
namespace {

using namespace std::chrono_literals;

TEST(RetryAfter, IsSecondsOrADate) {
  const auto now = std::chrono::system_clock::from_time_t(784'111'777);  // Sun, 06 Nov 1994 08:49:37 GMT
  EXPECT_EQ(parse_retry_after("120", now), 120s);
  EXPECT_EQ(parse_retry_after(" 0 ", now), 0s);
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:50:37 GMT", now), 60s);
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:40:37 GMT", now), 0s);
  EXPECT_EQ(parse_retry_after("99999999", now), 24h);
  EXPECT_EQ(parse_retry_after("99999999999999", now), 24h);
  for (const char* odd : {"", "soon", "-5", "-1", "1.5", "5 minutes", "Fri, 15 Jan 2027", "99999999999999999999"})
    EXPECT_EQ(parse_retry_after(odd, now), std::nullopt) << odd;
}

}  // namespace
}  // namespace holdfast::net
