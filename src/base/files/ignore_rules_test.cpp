#include "base/files/ignore_rules.h"

#include <gtest/gtest.h>

namespace holdfast {
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

// As `git check-ignore` answers.
TEST(IgnoreRules, EscapesTakeMeaningAway) {
  EXPECT_TRUE(ignores("a\\*", "a*"));
  EXPECT_FALSE(ignores("a\\*", "ab"));
  EXPECT_TRUE(ignores("\\[a]", "[a]"));
  EXPECT_TRUE(ignores("\\\\", "\\"));
  EXPECT_TRUE(ignores("a\\ ", "a "));
  EXPECT_TRUE(ignores("a\\  ", "a "));
  EXPECT_FALSE(ignores("a\\\\ ", "a\\ "));
  EXPECT_TRUE(ignores("a\\\\ ", "a\\"));
  EXPECT_FALSE(ignores("a\\", "a"));  // takes away the meaning of nothing: fits nothing
  EXPECT_FALSE(ignores("a\\", "a\\"));
  EXPECT_TRUE(ignores("x/\\*/y", "x/*/y"));
}

TEST(IgnoreRules, AByteOrderMarkIsNoRule) {
  EXPECT_TRUE(ignores("\xEF\xBB\xBF/x", "x"));
}

TEST(IgnoreRules, NoRuleLeavesTheVerdictToOthers) {
  IgnoreRules rules;
  rules.add_text("a\n!b", "");
  EXPECT_EQ(rules.verdict("a", false), true);
  EXPECT_EQ(rules.verdict("b", false), false);
  EXPECT_EQ(rules.verdict("c", false), std::nullopt);
}

}  // namespace
}  // namespace holdfast
