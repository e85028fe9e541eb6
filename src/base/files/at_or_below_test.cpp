#include "base/files/at_or_below.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(AtOrBelow, comparesWholeComponents) {
  EXPECT_TRUE(is_at_or_below("/etc", "/etc"));
  EXPECT_TRUE(is_at_or_below("/etc/x", "/etc"));
  EXPECT_TRUE(is_at_or_below("/etc/x", "/etc/"));
  EXPECT_TRUE(is_at_or_below("/etc", "/etc/"));
  EXPECT_FALSE(is_at_or_below("/etcetera", "/etc"));
  EXPECT_FALSE(is_at_or_below("/etcetera", "/etc/"));
  EXPECT_FALSE(is_at_or_below("/", "/etc"));
  EXPECT_TRUE(is_at_or_below("notes/a.md", "notes"));
  EXPECT_FALSE(is_at_or_below("notes.md", "notes"));
}

TEST(AtOrBelow, rootAndNothingAreAboveEverything) {
  EXPECT_TRUE(is_at_or_below("/etc", "/"));
  EXPECT_TRUE(is_at_or_below("notes", ""));
  EXPECT_TRUE(is_at_or_below("", ""));
}

}  // namespace
}  // namespace holdfast
