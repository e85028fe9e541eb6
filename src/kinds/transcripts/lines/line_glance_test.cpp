#include "kinds/transcripts/lines/line_glance.h"

#include "base/text/text.h"
#include "jsonl/spelling.h"
#include "kinds/transcripts/passages/line_passages.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace holdfast::transcripts {
namespace {

bool may_hold(std::string_view line, std::vector<std::string> pieces, bool nested = false) {
  return LineGlance({std::move(pieces)}, nested).may_hold(line);
}

TEST(LineGlance, PassesOverWhatHasItNot) {
  const std::string line = R"({"type":"user","message":{"content":"Fix the CORS header\nof src/a.cpp, \"now\""}})";
  EXPECT_TRUE(may_hold(line, {"cors"}));
  EXPECT_TRUE(may_hold(line, {"cors", "header of"}));
  EXPECT_TRUE(may_hold(line, {"header of src/a.cpp"}));
  EXPECT_TRUE(may_hold(line, {", \"now"}));
  EXPECT_FALSE(may_hold(line, {"cors", "absent"}));
  EXPECT_FALSE(may_hold(line, {"cors of"}));
  EXPECT_FALSE(may_hold(line, {"a.cpp/src"}));
}

TEST(LineGlance, ASlashInFrontIsASlash) {
  const std::string line = R"({"content":"src/a.cpp and \/b and \/\/c"})", nested = R"({"arguments":"{\"p\":\"x\\/y\"}"})";
  EXPECT_FALSE(may_hold(line, {"/src"}));
  EXPECT_TRUE(may_hold(line, {"/a.cpp"}));
  EXPECT_TRUE(may_hold(line, {"/b"}));
  EXPECT_TRUE(may_hold(line, {"//c"}));
  EXPECT_TRUE(may_hold(nested, {"x/y"}, true));
  EXPECT_FALSE(may_hold(nested, {"/x"}, true));
}

TEST(LineGlance, KnowsNothingOfEscapedAndDoubtfulCharacters) {
  EXPECT_TRUE(may_hold(R"({"a":"\u0063ors"})", {"cors"}));
  EXPECT_TRUE(
      may_hold("{\"a\":\"\xE2\x84\xAA"
               "elp\"}",
               {"kelp"}))
      << "the Kelvin sign is a k";
  EXPECT_TRUE(may_hold("{\"a\":\"wait\xE2\x80\xA6\"}", {"wait..."}));
  EXPECT_FALSE(may_hold("{\"a\":\"\xE6\xB5\xB7\xE8\x97\xBB \xC3\xA4 \xE2\x94\x80 \xF0\x9F\x98\x80\"}", {"kelp"}));
}

TEST(LineGlance, AStringThatEndsMayBeABlank) {
  EXPECT_TRUE(may_hold(R"({"name":"Bash","input":{"command":"ls -l"}})", {"bash ls"}));
  EXPECT_TRUE(may_hold(R"({"name":"Bash","input":{"command":" ls -l"}})", {"bash ls"}));
  EXPECT_FALSE(may_hold(R"({"name":"Bashful","input":{"command":"ls -l"}})", {"bash ls"}));
}

TEST(LineGlance, NestedJsonIsLookedAtWordByWord) {
  const std::string line = R"({"arguments":"{\"command\":\"cd build\\ncmake \\\"x\\\"\"}"})";
  EXPECT_TRUE(may_hold(line, {"build cmake \"x"}, true));
  EXPECT_FALSE(may_hold(line, {"build ninja"}, true));
}

// The list of characters that are passed over in a line is right for every one of them: folded, they are no ASCII, and they leave
// the letters beside them as they are.
TEST(LineGlance, CharactersThatAreNotInDoubtFoldToNoAscii) {
  for (std::uint32_t c = 0x80; c <= 0x1FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string character;
    jsonl::append_text(character, c < 0x10000 ? fmt::format("\\u{:04x}", c)
                                              : fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((c - 0x10000) >> 10),
                                                            0xDC00 + ((c - 0x10000) & 0x3FF)));
    std::size_t length = 0;
    if (!folds_beyond_ascii(character, 0, length)) continue;
    ASSERT_EQ(length, character.size());
    const std::string folded = fold_case("a" + character + "b");
    ASSERT_TRUE(folded.size() > 2 && folded.front() == 'a' && folded.back() == 'b') << c;
    ASSERT_TRUE(std::ranges::all_of(folded.substr(1, folded.size() - 2), [](char each) {
      return static_cast<unsigned char>(each) >= 0x80;
    })) << c;
  }
}

// Whatever stands in a passage, the glance at its line does not deny.
TEST(LineGlance, DeniesNothingThatIsThere) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random); };
  const std::vector<std::string> words = {"foo",
                                          "Bar",
                                          "src/a.cpp",
                                          "\"quoted\"",
                                          "C:\\Users\\n",
                                          "kelp",
                                          "\xE6\xB5\xB7\xE8\x97\xBB",
                                          "\xEF\xBD\x86oo",
                                          "stra\xC3\x9F"
                                          "e",
                                          "na\xC3\xAFve",
                                          "1\xC2\xBD",
                                          "\x08x",
                                          "wait\xE2\x80\xA6",
                                          "\xE2\x80\x94",
                                          "f\xE2\x80\x8Doo",
                                          "e\xCC\x81",
                                          "</b>",
                                          "\x1B[0m"};
  const std::vector<std::string> between = {" ", "  ", "\n", "\t", "", "_", "\r\n", "\xC2\xA0", "\x0B", "\f"};
  const auto text = [&] {
    std::string made;
    for (std::size_t i = below(8); i > 0; --i) (made += words[below(words.size())]) += between[below(between.size())];
    return made;
  };
  const auto folded = [](std::string_view of) {
    std::string one;
    for (const char c : fold_case(of)) {
      const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
      if (!blank)
        one += c;
      else if (one.empty() || one.back() != ' ')
        one += ' ';
    }
    return one;
  };
  const auto passages = claude_passages();
  std::size_t asked = 0;
  for (int round = 0; round < 4000; ++round) {
    const auto spelled = [&](const std::string& of) {
      jsonl::SpellingStyle style;
      style.escaped_slash = below(2) == 0;
      style.ascii_only = below(4) == 0;
      std::string raw;
      jsonl::append_spelling(raw, of, style);
      return raw;
    };
    const std::string line = fmt::format(
        R"({{"type":"assistant","message":{{"content":[{{"type":"text","text":"{}"}},{{"type":"tool_use","name":"{}","input":{{"a":"{}","b":["{}"]}}}}]}}}})",
        spelled(text()), spelled(text()), spelled(text()), spelled(text()));
    passages->line(line, {0, line.size(), 1}, [&](const session::Passage& passage) {
      const std::string whole = folded(passage.text);
      for (int i = 0; i < 4 && !whole.empty(); ++i) {
        const std::size_t begin = below(whole.size());
        const std::string part = whole.substr(begin, 1 + below(20));
        // The index gives pieces of ASCII alone.
        if (std::ranges::any_of(part, [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) continue;
        EXPECT_TRUE(may_hold(line, {part})) << part << " in " << line;
        EXPECT_TRUE(may_hold(line, {part}, true)) << part << " in " << line;
        ++asked;
      }
      return true;
    });
  }
  EXPECT_GT(asked, 5000U);
}

}  // namespace
}  // namespace holdfast::transcripts
