#include "kinds/transcripts/rewrite/path_map.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <rapidcheck.h>

namespace holdfast::transcripts {
namespace {

using testing::Optional;

PathMap map_of(std::initializer_list<std::pair<const char*, const char*>> pairs) {
  PathMap map;
  for (const auto& [from, to] : pairs) map.add(from, to);
  return map;
}

// The text with the occurrences replaced.
std::string replaced(const PathMap& map, std::string_view text) {
  std::string out;
  std::size_t done = 0;
  for (const PathMap::Match& match : map.occurrences(text)) {
    EXPECT_LE(done, match.from);
    EXPECT_LE(match.to, text.size());
    out += text.substr(done, match.from - done);
    out += match.replacement;
    done = match.to;
  }
  return out += text.substr(done);
}

TEST(PathMap, Paths_6_MatchesTheRootAndWhatIsBelowIt) {
  const PathMap map = map_of({{"/a/proj", "/b/new"}});
  EXPECT_THAT(map.translate("/a/proj"), Optional(std::string("/b/new")));
  EXPECT_THAT(map.translate("/a/proj/"), Optional(std::string("/b/new/")));
  EXPECT_THAT(map.translate("/a/proj/x/../y"), Optional(std::string("/b/new/x/../y")));
  for (const char* other : {"/a/proj-old", "/a/proj.bak/x", "/a/pro", "/a", "", "a/proj", "/x/a/proj", "/a/proj\\x", "proj/x"})
    EXPECT_EQ(map.translate(other), std::nullopt) << other;
}

TEST(PathMap, Paths_6_IgnoresOneTrailingSlashOfEither) {
  EXPECT_THAT(map_of({{"/a/proj/", "/b"}}).translate("/a/proj/x"), Optional(std::string("/b/x")));
  EXPECT_THAT(map_of({{"/a/proj", "/b/"}}).translate("/a/proj/x"), Optional(std::string("/b/x")));
  EXPECT_THAT(map_of({{"/a/proj", "/b/"}}).translate("/a/proj"), Optional(std::string("/b")));
}

TEST(PathMap, Paths_6_LongestOldFirstAndOnePass) {
  const PathMap map = map_of({{"/a", "/a/b"}, {"/a/b/c", "/z"}, {"/a/b", "/y"}});
  EXPECT_THAT(map.translate("/a/b/c/d"), Optional(std::string("/z/d")));
  EXPECT_THAT(map.translate("/a/b/d"), Optional(std::string("/y/d")));
  EXPECT_THAT(map.translate("/a/d"), Optional(std::string("/a/b/d")));
}

TEST(PathMap, NoChangeIsNoMatch) {
  EXPECT_EQ(map_of({{"/a", "/a/"}}).translate("/a/x"), std::nullopt);
  EXPECT_TRUE(map_of({{"/a", "/a"}}).occurrences("in /a now").empty());
  EXPECT_TRUE(map_of({{"", "/x"}, {"/a", ""}}).empty());
}

TEST(PathMap, TheRootOfAMachineIsMetByItselfAlone) {
  const PathMap map = map_of({{"/", "/work"}, {"C:\\", "/win"}});
  EXPECT_THAT(map.translate("/"), Optional(std::string("/work")));
  EXPECT_EQ(map.translate("/etc/passwd"), std::nullopt);
  EXPECT_THAT(map.translate("c:\\"), Optional(std::string("/win")));
  EXPECT_EQ(map.translate("C:\\Users"), std::nullopt);
  EXPECT_TRUE(map.occurrences("a / b C:\\ d").empty());
}

TEST(PathMap, ANewRootOfAMachineGetsOneSlash) {
  EXPECT_THAT(map_of({{"/a", "/"}}).translate("/a"), Optional(std::string("/")));
  EXPECT_THAT(map_of({{"/a", "/"}}).translate("/a/x"), Optional(std::string("/x")));
  EXPECT_THAT(map_of({{"/a", "C:\\"}}).translate("/a/x"), Optional(std::string("C:\\x")));
}

TEST(PathMap, Paths_6_WindowsToPosixFlipsTheRemainder) {
  const PathMap map = map_of({{"C:\\Users\\me\\proj", "/home/me/proj"}});
  EXPECT_THAT(map.translate("C:\\Users\\me\\proj\\src\\a b.c"), Optional(std::string("/home/me/proj/src/a b.c")));
  EXPECT_THAT(map.translate("c:/Users/me/proj/src"), Optional(std::string("/home/me/proj/src")));
  EXPECT_EQ(map.translate("C:\\Users\\me\\proj2"), std::nullopt);
  EXPECT_EQ(replaced(map, "in C:\\Users\\me\\proj\\src\\a.c: error \\n"), "in /home/me/proj/src/a.c: error \\n");
  const PathMap share = map_of({{"\\\\server\\share", "/mnt"}});
  EXPECT_THAT(share.translate("\\\\server\\share\\x"), Optional(std::string("/mnt/x")));
}

TEST(PathMap, Paths_6_OtherWaysKeepTheRemainder) {
  EXPECT_THAT(map_of({{"C:\\a", "D:\\b"}}).translate("C:\\a\\x/y"), Optional(std::string("D:\\b\\x/y")));
  EXPECT_THAT(map_of({{"/a", "D:\\b"}}).translate("/a/x/y"), Optional(std::string("D:\\b/x/y")));
  EXPECT_THAT(map_of({{"/a", "/b"}}).translate("/a/x\\y"), Optional(std::string("/b/x\\y")));
}

TEST(PathMap, Paths_6_InsideTextOnlyAtPathBoundaries) {
  const PathMap map = map_of({{"/a/proj", "/b"}, {"/a/proj/sub", "/s"}});
  EXPECT_EQ(replaced(map, "cd /a/proj && ls '/a/proj/x' --in=/a/proj/sub/y (/a/proj)."), "cd /b && ls '/b/x' --in=/s/y (/b).");
  EXPECT_EQ(replaced(map, "/a/proj:1\n/a/proj/x:2"), "/b:1\n/b/x:2");
  EXPECT_EQ(replaced(map, "See /a/proj. And /a/proj..."), "See /b. And /b...");
  for (const char* text : {"/a/proj-old", "/a/proj.bak", "x/a/proj", "/x/a/proj", "//a/proj", "/a/project", "/a/proj../x"})
    EXPECT_EQ(replaced(map, text), text);
}

RC_GTEST_PROP(PathMap, TranslatingAgainChangesNothing, ()) {
  const auto name = rc::gen::nonEmpty(rc::gen::string<std::string>());
  const std::string from = "/old/" + *name, to = "/new/" + *name;
  PathMap map;
  map.add(from, to);
  const std::string value = *rc::gen::element(std::string(""), from, std::string("/old")) + *rc::gen::element("", "/", "x") +
                            *rc::gen::string<std::string>();
  const std::string once = map.translate(value).value_or(value);
  RC_ASSERT(map.translate(once).value_or(once) == once);
}

}  // namespace
}  // namespace holdfast::transcripts
