#include "base/schema/schema_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace holdfast::schema {
namespace {

using testing::AllOf;
using testing::HasSubstr;

bool found(std::string_view pattern, std::string_view text) {
  const auto compiled = Pattern::compile(pattern);
  EXPECT_TRUE(compiled) << pattern << ": " << (compiled ? "" : compiled.error().message);
  return compiled && compiled->found_in(text);
}

TEST(SchemaPattern, MeansWhatEcmaScriptMeans) {
  const std::vector<std::tuple<std::string_view, std::string_view, bool>> cases{
      {"b", "abc", true},  // anywhere
      {"^abc$", "abc\n", false},
      {"^a.c$", "a\nc", false},
      {"^a.c$", "a\rc", false},
      {"^a.c$", "a\u2028c", false},
      {"^a.c$", "a日c", true},
      {R"(^\d$)", "৪", false},
      {R"(^\p{digit}+$)", "৪২", true},
      {R"(^\p{Letter}+$)", "éß日", true},
      {R"(^\p{Script=Greek}+$)", "αβγ", true},
      {R"(^[\p{Lu}\d]+$)", "Ä9", true},
      {R"(^\P{L}$)", "a", false},
      {R"(^\s$)", "\u00a0", true},
      {R"(^\s$)", "\u3000", true},
      {R"(^\S$)", "\ufeff", false},
      {R"(^[\S]$)", "\u3000", false},
      {R"(^[\Sx ]$)", " ", true},
      {R"(^\cC$)", "\x03", true},
      {R"(^\u0041\x42\u{43}$)", "ABC", true},
      {R"(^\uD83D\uDC32$)", "🐲", true},
      {"^🐲*$", "🐲🐲", true},
      {"^[^]$", "\n", true},
      {"[]", "a", false},
      {R"(^[\b]$)", "\b", true},
      {"^[[a]$", "[", true},
      {R"(^[\w-.]+$)", "a-.", true},
      {R"(^(?<year>\d{4})-(?:\d\d)$)", "2026-07", true},
      {R"(^\/\-\.$)", "/-.", true},
      {R"(^(?i:ab)$)", "AB", true},
      {R"(\bfoo\b)", "a foo b", true},
      {R"(^\0$)", std::string_view("\0", 1), true},
  };
  for (const auto& [pattern, text, expected] : cases) EXPECT_EQ(found(pattern, text), expected) << pattern << " in " << text;
}

TEST(SchemaPattern, RefusesWhatItCannotRunAndNamesIt) {
  const std::vector<std::pair<std::string_view, std::string_view>> cases{
      {"a(?=b)", "look-around"},
      {"a(?!b)", "look-around"},
      {"(?<=a)b", "look-around"},
      {"(?<!a)b", "look-around"},
      {R"((a)\1)", "back-reference"},
      {R"((?<n>a)\k<n>)", "back-ref"},
      {R"(a\Z)", "\\Z"},
      {R"(\a)", "\\a"},
      {"a\\", "backslash"},
      {"[a", "does not end"},
      {"(", "missing"},
      {"a**", "**"},
      {R"(\u12)", "four"},
      {R"(\uD800)", "surrogate"},
      {R"(\p{Nonsense})", "Nonsense"},
      {"a{2000}", "2000"},
      {"(?x)a", "begin a group"},
      {R"(\p{a b})", "a b"},
  };
  for (const auto& [pattern, reason] : cases) {
    const auto compiled = Pattern::compile(pattern);
    ASSERT_FALSE(compiled) << pattern;
    EXPECT_EQ(compiled.error().kind, ErrorKind::invalid) << pattern;
    EXPECT_THAT(compiled.error().message, AllOf(HasSubstr(std::string("pattern \"") + std::string(pattern)), HasSubstr(reason)));
  }
}

TEST(SchemaPattern, CostGrowsWithTextAndProgram) {
  const auto small = Pattern::compile("a");
  const auto large = Pattern::compile("(abcdef){100}");
  ASSERT_TRUE(small && large);
  EXPECT_EQ(small->cost(0), 1U);
  EXPECT_GT(small->cost(1'000'000), small->cost(1000));
  EXPECT_GT(large->cost(1000), small->cost(1000));
}

}  // namespace
}  // namespace holdfast::schema
