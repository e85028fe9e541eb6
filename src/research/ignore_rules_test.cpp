#include "research/ignore_rules.h"

#include <gtest/gtest.h>

namespace holdfast::research {
namespace {

bool ignores(std::string_view rules, std::string_view path, bool is_folder = false, std::string_view folder = "") {
  IgnoreRules made;
  made.add_text(rules, folder);
  return made.ignores(path, is_folder);
}

TEST(IgnoreRules, NamesMatchAtEveryDepthAnchoredOnesFromTheFolder) {
  EXPECT_TRUE(ignores("*.log", "a/b/c.log"));
  EXPECT_TRUE(ignores("*.log", ".log"));
  EXPECT_FALSE(ignores("*.log", "a.log/b"));
  EXPECT_TRUE(ignores("/top", "top"));
  EXPECT_FALSE(ignores("/top", "a/top"));
  EXPECT_TRUE(ignores("a/b", "a/b"));
  EXPECT_FALSE(ignores("a/b", "x/a/b"));
}

TEST(IgnoreRules, ATrailingSlashMeansFoldersAlone) {
  EXPECT_TRUE(ignores("build/", "x/build", true));
  EXPECT_FALSE(ignores("build/", "x/build", false));
}

TEST(IgnoreRules, TwoStarsSpanFolders) {
  EXPECT_TRUE(ignores("**/x", "x"));
  EXPECT_TRUE(ignores("**/x", "a/b/x"));
  EXPECT_TRUE(ignores("a/**/x", "a/x"));
  EXPECT_TRUE(ignores("a/**/x", "a/b/c/x"));
  EXPECT_FALSE(ignores("a/**/x", "b/x"));
  EXPECT_TRUE(ignores("a/**", "a/b"));
  EXPECT_FALSE(ignores("a/**", "a", true));
  EXPECT_FALSE(ignores("a/*", "a/b/c"));
}

TEST(IgnoreRules, TheLastRuleThatFitsDecides) {
  EXPECT_FALSE(ignores("*.log\n!keep.log", "keep.log"));
  EXPECT_TRUE(ignores("!keep.log\n*.log", "keep.log"));
}

TEST(IgnoreRules, CommentsEmptyLinesAndEscapes) {
  EXPECT_FALSE(ignores("# a\n\n  \n", "# a"));
  EXPECT_TRUE(ignores("\\#a", "#a"));
  EXPECT_TRUE(ignores("\\!a", "!a"));
  EXPECT_TRUE(ignores("a  \r\n", "a"));
}

TEST(IgnoreRules, RulesOfAFolderCountBelowItAlone) {
  EXPECT_TRUE(ignores("/x", "sub/x", false, "sub"));
  EXPECT_FALSE(ignores("/x", "x", false, "sub"));
  EXPECT_FALSE(ignores("*.log", "other/a.log", false, "sub"));
}

TEST(IgnoreRules, Globs) {
  EXPECT_TRUE(matches_glob("a?c", "abc"));
  EXPECT_TRUE(matches_glob("[a-c]x", "bx"));
  EXPECT_FALSE(matches_glob("[!a-c]x", "bx"));
  EXPECT_TRUE(matches_glob("[]]", "]"));
  EXPECT_TRUE(matches_glob("[", "["));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_FALSE(matches_glob("", "a"));
  EXPECT_FALSE(matches_glob(std::string(200, '*') + "b", std::string(2000, 'a')));  // at once
  std::string stars;
  for (int i = 0; i < 100; ++i) stars += "a*";
  EXPECT_FALSE(matches_glob(stars + "b", std::string(400, 'a')));
}

}  // namespace
}  // namespace holdfast::research
