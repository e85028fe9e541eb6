#include "store/index/fold.h"

#include "base/text/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::store::index {
namespace {

std::string folded(std::string_view text) {
  FoldedText buffer;
  buffer.assign(text);
  return std::string(buffer.view());
}

TEST(Fold, CaseAndWhiteSpace) {
  EXPECT_EQ(folded("Hello\r\n\t  WORLD "), "hello world ");
  EXPECT_EQ(folded("  a"), " a");
  EXPECT_EQ(folded("ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`@{"), "abcdefghijklmnopqrstuvwxyz[\\]^_`@{");
  EXPECT_EQ(folded(std::string_view("a\0b", 3)), std::string_view("a\0b", 3));
  EXPECT_EQ(folded(""), "");
}

TEST(Fold, BeyondAscii) {
  EXPECT_EQ(folded("STRASSE Straße"), "strasse strasse");
  EXPECT_EQ(folded("Ärger"), folded("A\u0308RGER")) << "composed and not";
  EXPECT_EQ(folded("ｆｕｌｌ　ｗｉｄｔｈ"), "full width");
  EXPECT_EQ(folded("a\u00A0\u00A0b \u2003c"), "a b c") << "other blanks are blanks";
  EXPECT_EQ(folded("co\u00ADoperate"), "cooperate") << "a soft hyphen is nothing";
  EXPECT_EQ(folded("漢字“x”—…"), "漢字“x”—...");
}

TEST(Fold, SameAsAllAtOnce) {
  // Characters that are copied as they are stand between others that are not.
  for (const std::string text : {"Ünï中Çödé", "e\u0301中\u0301x", "─é│É─", "가각ᆨ한글", "がか\u3099カ\u3099", "•Ω—Å’s"})
    EXPECT_EQ(folded(text), fold_case(text)) << text;
}

TEST(Fold, WhatIsNoUtf8IsReplacedByteByByte) {
  EXPECT_EQ(folded("a\xFF\xC3z"), "a\uFFFD\uFFFDz");
  EXPECT_EQ(folded("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD") << "half of a pair";
  EXPECT_TRUE(is_valid_utf8(folded("\xF0\x9F\x98 \xE4\xB8 \x80\x80 é\xE9")));
}

TEST(Fold, NoLetterIsCutFromItsMark) {
  for (std::size_t before = 200; before < 300; ++before) {
    std::string text;
    for (std::size_t i = 0; i < before; ++i) text += "б";
    EXPECT_EQ(folded(text + "и\u0306ка"), text + "йка") << before;
  }
}

TEST(Fold, EveryWhiteSpaceIsABlank) {
  EXPECT_EQ(folded("two\u2028three \u2029 four\u0085five\u00A0\u3000six\u1680x"), "two three four five six x");
}

TEST(Fold, EndlessMarksTakeNoMinutes) {
  std::string text = "a";
  for (int i = 0; i < 200'000; ++i) text += "\u0301\u0316";
  EXPECT_GT(folded(text).size(), 1000u);
}

TEST(Fold, KnowsWhereAByteCameFrom) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "Word   of\n\ttext, Straße und ﬁsh; ";
  text += "NEEDLE";
  FoldedText buffer;
  buffer.assign(text);
  const std::size_t place = buffer.view().find("needle");
  EXPECT_NEAR(static_cast<double>(buffer.original_offset(text, place)), static_cast<double>(text.find("NEEDLE")), 4);
  EXPECT_EQ(buffer.original_offset(text, buffer.size()), text.size());
  buffer.assign("x  Foo");
  EXPECT_EQ(buffer.original_offset("x  Foo", 2), 3u);
}

TEST(Fold, LowersPlainText) {
  std::string lowered;
  EXPECT_TRUE(lower_ascii("ABC def GHI [x]", lowered));
  EXPECT_TRUE(lowered.starts_with("abc def ghi [x]"));
  EXPECT_FALSE(lower_ascii("plain text with é", lowered));
}

}  // namespace
}  // namespace holdfast::store::index
