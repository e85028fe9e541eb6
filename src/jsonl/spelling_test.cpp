#include "jsonl/spelling.h"

#include "jsonl/test_odd_json.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <rapidcheck.h>

namespace holdfast::jsonl {
namespace {

TEST(Spelling, DecodesEveryEscape) {
  EXPECT_EQ(text_of(R"(\"\\\/\b\f\n\r\tA\u00e9\u20AC\ud83d\ude00)"), "\"\\/\b\f\n\r\tA\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(text_of("\\u0000x"), std::string("\0x", 2));
}

TEST(Spelling, KeepsLoneSurrogatesApartFromEverythingElse) {
  EXPECT_EQ(text_of(R"(\ud83d)"), "\xED\xA0\xBD");
  EXPECT_EQ(text_of(R"(\ude00\ud83d)"), "\xED\xB8\x80\xED\xA0\xBD");
  EXPECT_EQ(text_of(R"(\ud83d\ud83d\ude00)"), "\xED\xA0\xBD\xF0\x9F\x98\x80");
  EXPECT_FALSE(spells(R"(\ud83d)", "\xEF\xBF\xBD"));
  EXPECT_FALSE(spells(R"(\ud83d)", text_of(R"(\ud83e)")));
}

TEST(Spelling, ComparesWhatIsMeant) {
  for (const char* raw : {"/home", "\\/home", "\\u002fhome", "\\u002Fh\\u006Fme"}) EXPECT_TRUE(spells(raw, "/home")) << raw;
  for (const char* raw : {"/hom", "/homes", "\\\\/home", "/home\\n", ""}) EXPECT_FALSE(spells(raw, "/home")) << raw;
  EXPECT_TRUE(spells("", ""));
  EXPECT_TRUE(spells("\\ud83d\\ude00", "\xF0\x9F\x98\x80"));
  EXPECT_FALSE(spells("\\ud83d\\ude00", "\xF0\x9F\x98"));
}

TEST(Spelling, KnowsBrokenEscapes) {
  for (const char* json : {R"("\x")", R"("\u12")", R"("\u12g4")", "\\", R"(\)", R"("\u)", R"("\U0041")", R"("\')"})
    EXPECT_FALSE(escapes_are_valid(json)) << json;
  for (const char* json : {R"("\\x")", R"("\\u12")", "", R"("\u12F4\n")", R"(\n)", "none"})
    EXPECT_TRUE(escapes_are_valid(json)) << json;
}

TEST(Spelling, FindsEscapesOfAKind) {
  for (std::size_t before = 0; before < 40; ++before) {
    const std::string front(before, 'u');
    EXPECT_TRUE(may_have_escape(front + "\\u0041", 'u')) << before;
    EXPECT_TRUE(may_have_escape(front + "\\/", '/')) << before;
    EXPECT_FALSE(may_have_escape(front + "\\n/u\\", 'u')) << before;
  }
}

std::string respelled(std::string_view text, std::string_view like) {
  std::string out;
  append_spelling(out, text, style_of(like));
  return out;
}

TEST(Spelling, FollowsTheStyleOfWhatItReplaces) {
  EXPECT_EQ(respelled("/new/d\xC3\xA9p\xC3\xB4t", "/old"), "/new/d\xC3\xA9p\xC3\xB4t");
  EXPECT_EQ(respelled("/new", "\\/old"), "\\/new");
  EXPECT_EQ(respelled("/n\xC3\xAA\xF0\x9F\x98\x80", "/\\u00e9"), "/n\\u00ea\\ud83d\\ude00");
  EXPECT_EQ(respelled("/n\xC3\xAA", "/\\u00E9"), "/n\\u00EA");
  EXPECT_EQ(respelled("\xC3\xAA", "\\u00e9 \xC3\xA9"), "\xC3\xAA") << "raw where raw was used too";
  EXPECT_EQ(respelled("\xC3\xAA", "\\u001b[0m"), "\xC3\xAA") << "control characters have no other spelling";
  EXPECT_EQ(respelled("\x1b\n\"\\\x7F", "x"), "\\u001b\\n\\\"\\\\\x7F");
  EXPECT_EQ(respelled("/", "\\\\/"), "/") << "that is a backslash and a plain slash";
}

TEST(Spelling, FindsPlacesOfTheTextInItsSpelling) {
  const std::string_view raw = R"(a\u00e9\n/b)";  // a é newline / b
  SpellingCursor cursor(raw);
  EXPECT_EQ(cursor.raw_offset(0), 0u);
  EXPECT_EQ(cursor.raw_offset(1), 1u);
  EXPECT_EQ(SpellingCursor(raw).raw_offset(2), std::nullopt) << "in the middle of the é";
  EXPECT_EQ(cursor.raw_offset(3), 7u);
  EXPECT_EQ(cursor.raw_offset(4), 9u);
  EXPECT_EQ(cursor.raw_offset(6), 11u);
  EXPECT_EQ(cursor.raw_offset(7), std::nullopt);
  EXPECT_EQ(cursor.raw_offset(1), std::nullopt);
}

RC_GTEST_PROP(Spelling, EveryTextSurvivesEveryStyle, ()) {
  const auto text = *rc::gen::container<std::string>(
      rc::gen::element('a', '/', '"', '\\', '\n', '\0', '\xED', '\xA0', '\xB8', '\x80', '\xF0', '\x9F', '\x98', '\xC3', '\xFF'));
  SpellingStyle style;
  style.escaped_slash = *rc::gen::arbitrary<bool>();
  style.ascii_only = *rc::gen::arbitrary<bool>();
  style.upper_hex = *rc::gen::arbitrary<bool>();
  std::string raw;
  append_spelling(raw, text, style);
  RC_ASSERT(escapes_are_valid(raw));
  RC_ASSERT(text_of(raw) == text);
  RC_ASSERT(spells(raw, text));
}

RC_GTEST_PROP(Spelling, ASpellingIsComparedAsItIsDecoded, ()) {
  OddJson odd(*rc::gen::arbitrary<std::uint64_t>());
  const std::string one = odd.inside(), other = odd.inside();
  RC_ASSERT(spells(one, text_of(one)));
  RC_ASSERT(spells(one, text_of(other)) == (text_of(one) == text_of(other)));

  SpellingCursor cursor(one);
  const std::string text = text_of(one);
  for (std::size_t at = 0; at <= text.size(); ++at) {
    SpellingCursor probe = cursor;
    const auto raw = probe.raw_offset(at);
    if (!raw) continue;
    cursor = probe;
    RC_ASSERT(text_of(std::string_view(one).substr(0, *raw)).size() == at);
  }
}

}  // namespace
}  // namespace holdfast::jsonl
