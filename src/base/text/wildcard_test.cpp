#include "base/text/wildcard.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(Wildcard, OneName) {
  EXPECT_TRUE(matches_wildcard("a?c", "abc"));
  EXPECT_TRUE(matches_wildcard("[a-c]x", "bx"));
  EXPECT_FALSE(matches_wildcard("[!a-c]x", "bx"));
  EXPECT_TRUE(matches_wildcard("[]]", "]"));
  EXPECT_TRUE(matches_wildcard("[", "["));
  EXPECT_TRUE(matches_wildcard("*", ""));
  EXPECT_FALSE(matches_wildcard("", "a"));
  EXPECT_FALSE(matches_wildcard(std::string(200, '*') + "b", std::string(2000, 'a')));  // at once
  std::string stars;
  for (int i = 0; i < 100; ++i) stars += "a*";
  EXPECT_FALSE(matches_wildcard(stars + "b", std::string(400, 'a')));
}

TEST(Wildcard, CharactersNotBytes) {
  EXPECT_TRUE(matches_wildcard("caf?.md", "caf\u00e9.md"));
  EXPECT_TRUE(matches_wildcard("[\u00e0-\u00ff]x", "\u00e9x"));
  EXPECT_FALSE(matches_wildcard("[\u00e0-\u00ff]x", "ex"));
  EXPECT_TRUE(matches_wildcard("*\u00e9", "caf\u00e9"));
}

TEST(Wildcard, EscapesAndNamedSets) {
  EXPECT_TRUE(matches_wildcard("a\\?", "a?"));
  EXPECT_FALSE(matches_wildcard("a\\?", "ab"));
  EXPECT_TRUE(matches_wildcard("[\\]a]", "]"));
  EXPECT_TRUE(matches_wildcard("[[:digit:]x]", "7"));
  EXPECT_TRUE(matches_wildcard("[[:digit:]x]", "x"));
  EXPECT_FALSE(matches_wildcard("[![:digit:]]", "7"));
  EXPECT_TRUE(matches_wildcard("[[:nothing:]]", ":]"));
}

// What is compiled to something quicker answers as the general way does.
TEST(Wildcard, CompiledIsTheSame) {
  for (const char* pattern : {"a.md", "*.md", "a*", "*", "a?c", "", "*a*", "a\\*", "**a"})
    for (const char* name : {"a.md", "b.md", "abc", "a*", "", ".md", "a", "ba"})
      EXPECT_EQ(Wildcard(pattern).matches(name), matches_wildcard(pattern, name)) << pattern << " " << name;
}

TEST(Wildcard, Paths) {
  const auto matches = [](std::string_view pattern, std::string_view path) {
    return matches_path(compile_path_wildcard(pattern), path);
  };
  EXPECT_TRUE(matches("**/*.md", "a.md"));
  EXPECT_TRUE(matches("**/*.md", "x/y/a.md"));
  EXPECT_FALSE(matches("*.md", "x/a.md"));
  EXPECT_TRUE(matches("a/**/b/**/c", "a/b/b/x/c"));
  EXPECT_FALSE(matches("a/**", "a"));
  EXPECT_TRUE(matches("**", "a/b"));
  std::string deep, pattern;
  for (int i = 0; i < 200; ++i) deep += "a/";
  for (int i = 0; i < 40; ++i) pattern += "**/a/";
  EXPECT_FALSE(matches(pattern + "b", deep + "c"));  // at once
}

}  // namespace
}  // namespace holdfast
