#include "base/text/text.h"

#include "base/json/json.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace holdfast {
namespace {

constexpr const char* kBroken = "\xEF\xBF\xBD";

TEST(Utf8, TellsValidFromBroken) {
  for (const char* text : {"", "plain ascii longer than a word", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                           "\xF4\x8F\xBF\xBF", "\xED\x9F\xBF", "\xEE\x80\x80"}) {
    EXPECT_TRUE(is_valid_utf8(text)) << text;
    EXPECT_EQ(to_valid_utf8(text), text);
  }
  for (const char* text : {"\x80", "\xC3", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
                           "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "eight bytes then \xFF"}) {
    EXPECT_FALSE(is_valid_utf8(text)) << text;
    EXPECT_TRUE(is_valid_utf8(to_valid_utf8(text)));
  }
  EXPECT_EQ(to_valid_utf8("a\xE2\x82z"), std::string("a") + kBroken + "z");  // a cut sequence is one error
  EXPECT_EQ(to_valid_utf8("\xFF\xFE"), std::string(kBroken) + kBroken);      // two bytes that never occur are two
  EXPECT_EQ(to_valid_utf8("\xF0\x9F\x98"), kBroken);
}

TEST(Utf8, PrefixNeverCutsACharacter) {
  EXPECT_EQ(utf8_prefix("abc", 5), "abc");
  EXPECT_EQ(utf8_prefix("abc", 2), "ab");
  EXPECT_EQ(utf8_prefix("a\xF0\x9F\x98\x80z", 1), "a");
  for (std::size_t bytes : {2, 3, 4}) EXPECT_EQ(utf8_prefix("a\xF0\x9F\x98\x80z", bytes), "a");
  EXPECT_EQ(utf8_prefix("a\xF0\x9F\x98\x80z", 5), "a\xF0\x9F\x98\x80");
  EXPECT_EQ(utf8_prefix("\x80\x80\x80\x80\x80\x80", 4), "\x80\x80\x80\x80");
  EXPECT_EQ(utf8_prefix("\xC3\xA9", 0), "");
}

TEST(Utf8, CountsCodePoints) {
  EXPECT_EQ(utf8_length(""), 0U);
  EXPECT_EQ(utf8_length("a\xC3\xA9\xF0\x9F\x98\x80"), 3U);
  EXPECT_EQ(utf8_length("\xE2\x82z\xFF"), 4U);
}

TEST(Shorten, CutsAtAWordOfTheLastThird) {
  EXPECT_EQ(shorten("short", 10), "short");
  EXPECT_EQ(shorten("the quick brown fox", 19), "the quick brown fox");
  EXPECT_EQ(shorten("the quick brown fox", 18), "the quick brown\xE2\x80\xA6");
  EXPECT_EQ(shorten("the quick brown fox", 16), "the quick brown\xE2\x80\xA6");
  EXPECT_EQ(shorten("the quickbrownfoxjumps", 16), "the quickbrownf\xE2\x80\xA6");
  EXPECT_EQ(shorten("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 3), "\xC3\xA9\xC3\xA9\xE2\x80\xA6");
  EXPECT_EQ(shorten("abc", 1), "\xE2\x80\xA6");
  EXPECT_EQ(shorten("abc", 0), "");
}

RC_GTEST_PROP(TextProperty, ShortenedTextIsNeverTooLong, (const std::string& bytes)) {
  const std::size_t most = *rc::gen::inRange<std::size_t>(0, 40);
  RC_ASSERT(utf8_length(shorten(bytes, most)) <= most);
  RC_ASSERT(is_valid_utf8(to_valid_utf8(bytes)));
  RC_ASSERT(utf8_prefix(bytes, most).size() <= most);
}

TEST(Normal, ComposesAndFolds) {
  EXPECT_EQ(to_nfc("e\xCC\x81"), "\xC3\xA9");
  EXPECT_EQ(to_nfc("plain"), "plain");
  EXPECT_EQ(to_nfc("\xFF e\xCC\x81"), "\xFF e\xCC\x81");
  EXPECT_EQ(to_nfc(std::string("e\xCC\x81\0x", 5)), std::string("\xC3\xA9\0x", 4));
  EXPECT_EQ(fold_case("HeLLo"), "hello");
  EXPECT_EQ(fold_case("STRA\xC3\x9F"
                      "E"),
            "strasse");
  EXPECT_EQ(fold_case("\xC3\x89"), fold_case("e\xCC\x81"));
  EXPECT_EQ(fold_case("\xEF\xAC\x81"), "fi");  // the ligature
}

TEST(Normal, LeavesEndlessCombiningMarksAlone) {
  std::string marks = "e";
  for (int i = 0; i < 200'000; ++i) marks += i % 2 ? "\xCC\x81" : "\xCC\xA7";  // quadratic to sort
  EXPECT_EQ(to_nfc(marks), marks);
  EXPECT_EQ(fold_case(marks), marks);
}

TEST(Ascii, TrimsAndLowers) {
  EXPECT_EQ(trim(" \t\r\n a b \v\f"), "a b");
  EXPECT_EQ(trim("  "), "");
  EXPECT_EQ(to_ascii_lower("AbC\xC3\x89"), "abc\xC3\x89");
  EXPECT_TRUE(equal_ignoring_ascii_case("Content-Type", "content-type"));
  EXPECT_FALSE(equal_ignoring_ascii_case("a", "ab"));
  EXPECT_FALSE(equal_ignoring_ascii_case("[", "{"));
}

TEST(Unescape, DecodesAllEscapes) {
  EXPECT_EQ(unescape_json_string(R"(\"\\\/\b\f\n\r\tA\u00e9\u20AC\ud83d\ude00)"),
            "\"\\/\b\f\n\r\tA\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(unescape_json_string(""), "");
}

TEST(Unescape, LoneSurrogatesBecomeReplacementCharacters) {
  EXPECT_EQ(unescape_json_string(R"(a\ud83d)"), std::string("a") + kBroken);
  EXPECT_EQ(unescape_json_string(R"(\ude00z)"), std::string(kBroken) + "z");
  EXPECT_EQ(unescape_json_string(R"(\ud83d\ud83d\ude00)"), std::string(kBroken) + "\xF0\x9F\x98\x80");
  EXPECT_EQ(unescape_json_string(R"(\ud83d\u0041)"), std::string(kBroken) + "A");
  EXPECT_EQ(unescape_json_string(R"(\ud83d\n)"), std::string(kBroken) + "\n");
}

TEST(Unescape, BrokenEscapesAreNothing) {
  for (const char* text : {"\\", "a\\x", "\\u12", "\\u12g4", "\\ud83d\\u12"})
    EXPECT_EQ(unescape_json_string(text), std::nullopt) << text;
}

RC_GTEST_PROP(TextProperty, UnescapeUndoesTheWriter, (const std::string& text)) {
  std::string literal;
  append_json_string(literal, text);
  RC_ASSERT(unescape_json_string(std::string_view(literal).substr(1, literal.size() - 2)).value() == text);
}

}  // namespace
}  // namespace holdfast
