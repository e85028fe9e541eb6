#include "kinds/documents/find/required_literal.h"

#include "kinds/documents/find/literal_finder.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace holdfast::documents {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RequiredLiteral, IsTheLongestThatIsEasilySeen) {
  const auto literal = [](std::string_view pattern) { return required_literal(pattern, false).any_of; };
  EXPECT_THAT(literal("plain text"), ElementsAre("plain text"));
  EXPECT_TRUE(required_literal("plain text", false).is_all);
  EXPECT_TRUE(required_literal("a\\.b|cd", false).is_all);
  EXPECT_FALSE(required_literal("plain text$", false).is_all);
  EXPECT_THAT(literal("^# Title.*end$"), ElementsAre("# Title"));
  EXPECT_THAT(literal("\\bword\\b"), ElementsAre("word"));
  EXPECT_THAT(literal("colou?r"), ElementsAre("colo"));
  EXPECT_THAT(literal("größe?"), ElementsAre("größ"));
  EXPECT_THAT(literal("ab{0,2}cde"), ElementsAre("cde"));
  EXPECT_THAT(literal("a\\.b+c"), ElementsAre("a.b"));
  EXPECT_THAT(literal("[a-z\\]]+Error"), ElementsAre("Error"));
  EXPECT_THAT(literal("(mo|(?:ni)[)])+ver"), ElementsAre("ver"));
  EXPECT_THAT(literal("one|two.*|.three"), ElementsAre("one", "two", "three"));
}

TEST(RequiredLiteral, IsGivenUpInDoubt) {
  for (const char* none : {"", "a*", ".", "(abc)", "(?i)abc", "a(?i:b)cd", "\\x41bc", "[[:alpha:]]abc", "\\Qa.b\\E", "abc|",
                           "abc|.", "(", "abc)", "abc\\", "[abc", "(a\\Q)\\E)bc"})
    EXPECT_THAT(required_literal(none, false).any_of, IsEmpty()) << none;
}

TEST(RequiredLiteral, LettersWithCasesBeyondAsciiAreLeftOut) {
  EXPECT_THAT(required_literal("walrus_needle", true).any_of, ElementsAre("_needle"));
  EXPECT_THAT(required_literal("KsKs", true).any_of, IsEmpty());
  EXPECT_FALSE(required_literal("needle", true).is_all);
}

RC_GTEST_PROP(LiteralFinder, FindsWhatAPlainSearchFinds, ()) {
  const auto letters = rc::gen::container<std::string>(rc::gen::element('a', 'b', 'A', 'B', '_', ' '));
  const std::string text = *letters + *letters + *letters, literal = *rc::gen::nonEmpty(letters);
  const auto from = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
  RC_ASSERT(LiteralFinder(literal, false).find(text, from) == text.find(literal, from));
  const auto lower = [](std::string folded) {
    for (char& c : folded)
      if (c == 'A' || c == 'B') c = static_cast<char>(c | 0x20);
    return folded;
  };
  RC_ASSERT(LiteralFinder(literal, true).find(text, from) == lower(text).find(lower(literal), from));
}

}  // namespace
}  // namespace holdfast::documents
