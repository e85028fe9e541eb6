// Lines, windows and regular expressions of grep, on one text (document-review §5 `grep`).

#include "kinds/documents/find/grep_text.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>
#include <re2/re2.h>

namespace holdfast::documents {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

LinePattern compiled(std::string_view pattern, bool ignore_case = false, bool multiline = false) {
  return LinePattern::compile(pattern, {ignore_case, multiline}).value();
}

// With "--" before every group but the first, as the whole answer shows them.
std::string content(std::string_view text, LinePattern pattern, std::size_t before = 0, std::size_t after = 0,
                    std::size_t max_lines = 1000) {
  GrepTextOptions options;
  options.mode = GrepMode::content;
  options.before = before;
  options.after = after;
  options.max_lines = max_lines;
  const GrepHits hits = grep_text(text, pattern, "p", options);
  std::string out;
  std::size_t begin = 0;
  for (const ShownLine& line : hits.shown) {
    if (line.begins_group && begin > 0) out += "--\n";
    out += hits.lines.substr(begin, line.end - begin);
    begin = line.end;
  }
  return out;
}

std::size_t count(std::string_view text, LinePattern pattern) {
  GrepTextOptions options;
  options.mode = GrepMode::count;
  return grep_text(text, pattern, "p", options).count;
}

TEST(GrepText, ShowsMatchingLinesWithTheirNumbers) {
  EXPECT_EQ(content("one\ntwo\nthree two\n", compiled("two")), "p:2:two\np:3:three two\n");
  EXPECT_EQ(content("one\ntwo", compiled("two$")), "p:2:two\n");
  EXPECT_EQ(content("", compiled("")), "");
}

TEST(GrepText, WindowsMergeWhenTheyOverlapOrTouch) {
  const std::string text = "1\n2\nx3\n4\n5\nx6\n7\n8\n9\n10\nx11\n";
  EXPECT_EQ(content(text, compiled("x"), 1, 1), "p-2-2\np:3:x3\np-4-4\np-5-5\np:6:x6\np-7-7\n--\np-10-10\np:11:x11\n");
  EXPECT_EQ(content(text, compiled("x"), 0, 2), "p:3:x3\np-4-4\np-5-5\np:6:x6\np-7-7\np-8-8\n--\np:11:x11\n");
  EXPECT_EQ(content(text, compiled("x"), 100, 0),
            "p-1-1\np-2-2\np:3:x3\np-4-4\np-5-5\np:6:x6\np-7-7\np-8-8\np-9-9\np-10-10\np:11:x11\n");
}

TEST(GrepText, CarriageReturnsAreNoPartOfALine) {
  EXPECT_EQ(content("ab\r\ncd\r\n", compiled("b$")), "p:1:ab\n");
  EXPECT_EQ(count("ab\r\n\r\ncd\r\n", compiled("^$")), 1U);
  EXPECT_EQ(content("a\rb\n", compiled("b")), "p:1:a\rb\n");
}

TEST(GrepText, EmptyPatternAndStarMatchEveryLine) {
  for (const char* pattern : {"", "a*", "^", "$", ".*"}) {
    EXPECT_EQ(count("one\n\nthree\n", compiled(pattern)), 3U) << pattern;
    EXPECT_EQ(count("one\n\nthree", compiled(pattern)), 3U) << pattern;
    EXPECT_EQ(count("", compiled(pattern)), 0U) << pattern;
  }
}

TEST(GrepText, CountsLinesNotMatches) {
  EXPECT_EQ(count("aa a\nb\na\n", compiled("a")), 2U);
}

TEST(GrepText, MatchesStayWithinALine) {
  EXPECT_EQ(count("a\nb\n", compiled("a[^x]b")), 0U);
  EXPECT_EQ(count("a\nb\n", compiled("a\\sb")), 0U);
}

TEST(GrepText, MultilineMatchesAcrossLines) {
  EXPECT_EQ(content("x\na\nb\ny\n", compiled("a.b", false, true)), "p:2:a\np:3:b\n");
  EXPECT_EQ(content("a\nb a\nb\n", compiled("a\\nb", false, true)), "p:1:a\np:2:b a\np:3:b\n");
  EXPECT_EQ(count("a\n", compiled("a\\n", false, true)), 1U);
}

TEST(GrepText, IgnoringCaseKnowsOtherScripts) {
  EXPECT_EQ(count("STRÖM\nström\n", compiled("Ström", true)), 2U);
}

TEST(GrepText, LongLinesAreCutAtACharacter) {
  const std::string text = std::string(kMaxShownLine - 1, 'x') + "ä and more\n";
  EXPECT_THAT(content(text, compiled("more")), EndsWith("x [… 11 bytes more]\n"));
}

TEST(LinePattern, NamesWhatALinearTimeEngineCannotHave) {
  const auto message = [](std::string_view pattern) {
    const auto made = LinePattern::compile(pattern, {});
    if (made) return std::string("compiled");
    EXPECT_EQ(made.error().word(), "bad_regex");
    return made.error().message;
  };
  EXPECT_THAT(message("a(?=b)"), HasSubstr("look-ahead \"(?=\""));
  EXPECT_THAT(message("a(?!b)"), HasSubstr("look-ahead \"(?!\""));
  EXPECT_THAT(message("(?<=a)b"), HasSubstr("look-behind \"(?<=\""));
  EXPECT_THAT(message("(?<!a)b"), HasSubstr("look-behind \"(?<!\""));
  EXPECT_THAT(message("(a)\\1"), HasSubstr("back-reference \"\\1\""));
  EXPECT_THAT(message("(a"), HasSubstr("missing )"));
  EXPECT_THAT(message("a\\nb"), HasSubstr("end of a line"));
  EXPECT_THAT(message("a\\\\nb"), HasSubstr("compiled"));
}

TEST(LinePattern, TheWorstPatternsTakeLinearTime) {
  // document-review §5: std::regex does not survive these.
  EXPECT_EQ(count(std::string(200'000, 'x') + "\n", compiled("x*y")), 0U);
  EXPECT_EQ(count(std::string(28, 'x') + "\n", compiled("(x+)+y")), 0U);
}

// Searching the whole text at once finds the lines that a search of each line finds.
RC_GTEST_PROP(GrepText, AgreesWithLineByLine, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("a", "b", "ab", "\n", "\n\n", " ", "ä", "A", "aab", "."));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  const std::string pattern =
      *rc::gen::element<std::string>("a", "ab", "a+b", "^a", "b$", "^$", "a?b", "aa*b", "\\bab\\b", "[^a]b", "ä", "a|b", "a\\.b",
                                     "", "^", "\\Ba", "ab?a", "a.b", "(a)(b)");
  const bool ignore_case = *rc::gen::arbitrary<bool>();
  re2::RE2::Options options;
  options.set_case_sensitive(!ignore_case);
  const re2::RE2 reference(pattern, options);
  std::size_t expected = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (re2::RE2::PartialMatch(text.substr(at, end - at), reference)) ++expected;
    at = end + 1;
  }
  RC_ASSERT(count(text, compiled(pattern, ignore_case)) == expected);
}

}  // namespace
}  // namespace holdfast::documents
