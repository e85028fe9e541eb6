#include "base/text/text.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(ControlCharacters, P22ThoseOfC0AndC1AreFound) {
  for (const char* text : {"\n", "a\x01", "\x1f", "x\x7f", "\xC2\x80", "\xC2\x9B[31m", "a\xC2\x9F"})
    EXPECT_TRUE(has_control_character(text));
  for (const char* text : {"", " ", "~", "\xC2\xA0", "\xC3\x80", "\xE2\x80\x8B", "\xC2"})
    EXPECT_FALSE(has_control_character(text));
}

}  // namespace
}  // namespace holdfast
