#include "session/entry.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace holdfast::session {
namespace {

Entry entry_of(std::string type, std::string lane) {
  Entry entry;
  entry.seq = 1;
  entry.type = std::move(type);
  entry.lane = std::move(lane);
  return entry;
}

// Written out by hand from the formula in docs/formats/store.md: stored chains must verify for ever.
TEST(Chain, HasAFixedForm) {
  EXPECT_EQ(bytes_of(chain_start("abc")), bytes_of(sha256("holdfast session 1\nabc")));
  using namespace std::string_literals;
  const std::string body = "\0\0\0\0\0\0\0\2hi\0\0\0\0\0\0\0\2{}"s;
  const Digest mac = body_mac("salt", "hi", "{}");
  EXPECT_EQ(bytes_of(mac), bytes_of(hmac_sha256("salt", body)));

  Entry entry = entry_of("note", "x");
  entry.seq = 2;
  entry.time = 256;
  entry.number = 3;
  entry.author = "me";
  entry.run = "r";
  entry.idempotency_key = "k";
  const Digest previous = chain_start("abc");
  const std::string input = "holdfast entry 1\n" + std::string(bytes_of(previous)) + "\0\0\0\0\0\0\0\2"s + "\0\0\0\0\0\0\1\0"s +
                            "\0\0\0\0\0\0\0\3"s + "\0\0\0\0\0\0\0\4note"s + "\0\0\0\0\0\0\0\1x"s + "\0\0\0\0\0\0\0\2me"s +
                            "\0\0\0\0\0\0\0\1r"s + "\0\0\0\0\0\0\0\1k"s + std::string(bytes_of(mac));
  EXPECT_EQ(bytes_of(chain_hash(previous, entry, mac)), bytes_of(sha256(input)));
}

RC_GTEST_PROP(ChainProperty, MovingABoundaryChangesTheHash, (const std::string& a, const std::string& b)) {
  RC_PRE(!b.empty());
  const Digest start = chain_start("s");
  RC_ASSERT(chain_hash(start, entry_of(a + b, ""), {}) != chain_hash(start, entry_of(a, b), {}));
  RC_ASSERT(body_mac("salt", a + b, "") != body_mac("salt", a, b));
}

}  // namespace
}  // namespace holdfast::session
