#include "store/blobs/cutter.h"
#include "store/blobs/test_blobs.h"

#include <gtest/gtest.h>

namespace holdfast::store {
namespace {

bool share_a_number(const Sketch& a, const Sketch& b) {
  for (std::size_t i = 0; i < a.numbers.size(); ++i) {
    if (a.numbers[i] == b.numbers[i]) return true;
  }
  return false;
}

// Records of about 450 bytes, of which 16 are another id.
TEST(Sketch, KnowsAChunkUnderAnotherSessionId) {
  int found = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Sketch original = sketch_of(made_up_lines(seed, kAverageChunk, "11111111-session"));
    const Sketch clone = sketch_of(made_up_lines(seed, kAverageChunk, "22222222-session"));
    found += share_a_number(original, clone) && resemblance(original.look, clone.look) >= kResembles ? 1 : 0;
  }
  EXPECT_GE(found, 85);
}

TEST(Sketch, IsNotDeceivedByFieldNames) {
  int found = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Sketch one = sketch_of(made_up_lines(seed, kAverageChunk));
    const Sketch other = sketch_of(made_up_lines(seed + 1000, kAverageChunk));
    found += resemblance(one.look, other.look) >= kResembles ? 1 : 0;
  }
  EXPECT_LE(found, 2);
}

TEST(Sketch, OfNothingIsASketch) {
  EXPECT_EQ(sketch_of("").look.size(), kLook);
  EXPECT_EQ(sketch_of("").look, sketch_of("").look);
}

}  // namespace
}  // namespace holdfast::store
