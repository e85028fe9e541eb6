#include "reading/html/visible_text.h"

#include "base/text/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace holdfast::reading {
namespace {

TEST(VisibleText, OrdinaryTextStays) {
  EXPECT_EQ(visible_text("a\tb\nc é 日本 👩‍💻"), "a\tb\nc é 日本 👩‍💻");
}

TEST(VisibleText, SequencesForTerminalsAreTakenOut) {
  EXPECT_EQ(visible_text("\x1b[31mred\x1b[0m \x1b[1;38;5;12mx\x1b[K"), "red x");
  EXPECT_EQ(visible_text("\x1b]0;title\x07 text \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"), " text link");
  EXPECT_EQ(visible_text("\x1b(Bplain\x1b=k"), "plaink");
  EXPECT_EQ(visible_text("\x1b]never ends\nnext"), "\nnext");
  EXPECT_EQ(visible_text("\x1b"), "");
  EXPECT_EQ(visible_text("\x1b["), "");
}

TEST(VisibleText, WhatNobodySeesIsSpelled) {
  EXPECT_EQ(visible_text("gpj.\u202Eexe"), "gpj.⟨U+202E⟩exe");
  EXPECT_EQ(visible_text("a\u2066b\u2069\u200Bc\uFEFF"), "a⟨U+2066⟩b⟨U+2069⟩⟨U+200B⟩c⟨U+FEFF⟩");
  EXPECT_EQ(visible_text(std::string("\0\x01\x7f", 3)), "␀␁␡");
  EXPECT_EQ(visible_text("\u0085\U000E0041"), "⟨U+0085⟩⟨U+E0041⟩");
}

TEST(VisibleText, LineEndsBecomeOne) {
  EXPECT_EQ(visible_text("a\r\nb\rc"), "a\nb\nc");
}

TEST(VisibleText, BrokenBytesAreReplaced) {
  EXPECT_EQ(visible_text("a\xff"
                         "b\xe2\x80"),
            "a\uFFFD"
            "b\uFFFD");
}

TEST(VisibleText, ALineIsOneLine) {
  EXPECT_EQ(visible_line("  a\n\n  b\tc  ", 80), "a b c");
  EXPECT_LE(utf8_length(visible_line(std::string(10'000, 'x'), 20)), 21u);
}

RC_GTEST_PROP(VisibleText, NothingInvisibleRemains, (const std::string& text)) {
  const std::string visible = visible_text(text);
  RC_ASSERT(is_valid_utf8(visible));
  RC_ASSERT(std::ranges::none_of(
      visible, [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f; }));
  RC_ASSERT(visible_text(visible) == visible);
}

}  // namespace
}  // namespace holdfast::reading
