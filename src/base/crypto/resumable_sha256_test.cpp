#include "base/crypto/resumable_sha256.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace holdfast {
namespace {

RC_GTEST_PROP(ResumableSha256, IsTheDigestHoweverItWasInterrupted, (const std::vector<std::string>& pieces)) {
  ResumableSha256 hash;
  std::string all;
  for (const std::string& piece : pieces) {
    auto resumed = ResumableSha256::from_state(hash.state());
    RC_ASSERT(resumed.has_value());
    hash = std::move(*resumed);
    hash.add(piece);
    all += piece;
    RC_ASSERT(to_hex(hash.digest()) == to_hex(sha256(all)));
  }
}

TEST(ResumableSha256, KnowsLongInputs) {
  const std::string megabyte(1 << 20, 'a');
  ResumableSha256 hash;
  Sha256 other;
  for (int i = 0; i < 5; ++i) {
    hash.add(megabyte);
    hash.add("x");
    other.add(megabyte);
    other.add("x");
  }
  EXPECT_EQ(to_hex(hash.digest()), to_hex(other.finish()));
}

TEST(ResumableSha256, RefusesWhatIsNoState) {
  EXPECT_FALSE(ResumableSha256::from_state(""));
  EXPECT_FALSE(ResumableSha256::from_state(std::string(39, 'x')));
  std::string state = ResumableSha256().state();
  EXPECT_TRUE(ResumableSha256::from_state(state));
  EXPECT_FALSE(ResumableSha256::from_state(state + "x"));
}

}  // namespace
}  // namespace holdfast
