#include "jsonl/path.h"

#include <gtest/gtest.h>

namespace holdfast::jsonl {
namespace {

Path content_item() {  // the way to the second block's key "te/xt", oddly spelled
  Path path;
  path.enter(true);
  path.current().key = "mess\\u0061ge";
  path.enter(true);
  path.current().key = "content";
  path.enter(false);
  path.current().index = 1;
  path.enter(true);
  path.current().key = "te\\/xt";
  return path;
}

TEST(Path, IsWrittenAsAJsonPointer) {
  EXPECT_EQ(content_item().pointer(), "/message/content/1/te~1xt");
  EXPECT_EQ(Path().pointer(), "");
}

TEST(Path, KnowsItsMembersHoweverSpelled) {
  const Path path = content_item();
  EXPECT_TRUE(path[0].is("message"));
  EXPECT_TRUE(path.last().is("te/xt"));
  EXPECT_FALSE(path[2].is("1")) << "an element has no name";
}

TEST(PathPattern, MatchesNamesNumbersAndWildcards) {
  const Path path = content_item();
  for (const char* pattern : {"/message/content/1/te~1xt", "/message/content/*/te~1xt", "/*/*/*/*", "/message/**", "/**",
                              "message/content/1/*", "/message/content/1/te~1xt/**"})
    EXPECT_TRUE(PathPattern(pattern).matches(path)) << pattern;
  for (const char* pattern : {"", "/", "/message", "/message/content/2/te~1xt", "/*/*/*", "/message/**/x", "/other/**",
                              "/message/content/1/te/xt", "/message/content/01/te~1xt", "/message/content/1/te~1xt/*"})
    EXPECT_FALSE(PathPattern(pattern).matches(path)) << pattern;
}

TEST(PathPattern, TheEmptyOneIsTheTop) {
  EXPECT_TRUE(PathPattern("").matches(Path()));
  EXPECT_TRUE(PathPattern("/**").matches(Path()));
  Path empty_key;
  empty_key.enter(true);
  EXPECT_TRUE(PathPattern("/").matches(empty_key));
}

}  // namespace
}  // namespace holdfast::jsonl
