#include "kinds/documents/find/glob.h"

#include "kinds/documents/files/test_library.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace holdfast::documents {
namespace {

using testing::HasSubstr;

std::string globbed(TestLibrary& files, std::string pattern, std::string path = "") {
  const auto text = glob(files.library(), {std::move(pattern), std::move(path), {}});
  return text ? *text : std::string(text.error().word());
}

bool matches(std::string_view pattern, std::string_view path) {
  return GlobPattern::compile(pattern).value().matches(path);
}

// document-review §5 glob.
TEST(Glob, PatternsStayInTheirSegments) {
  EXPECT_TRUE(matches("*.md", "a.md"));
  EXPECT_FALSE(matches("*.md", "x/a.md"));
  EXPECT_TRUE(matches("**/*.md", "a.md"));
  EXPECT_TRUE(matches("**/*.md", "x/y/a.md"));
  EXPECT_TRUE(matches("x/**", "x/y/a.md"));
  EXPECT_TRUE(matches("x/**/a.md", "x/a.md"));
  EXPECT_TRUE(matches("?.md", "é.md"));
  EXPECT_FALSE(matches("?", "/"));
  EXPECT_TRUE(matches("[a-c].md", "b.md"));
  EXPECT_FALSE(matches("[!a-c].md", "b.md"));
  EXPECT_TRUE(matches("./a.md", "a.md"));
}

TEST(Glob, Braces) {
  EXPECT_TRUE(matches("*.{md,txt}", "a.txt"));
  EXPECT_TRUE(matches("{a,b/{c,d}}/x.md", "b/d/x.md"));
  EXPECT_FALSE(matches("{a,b/{c,d}}/x.md", "b/x.md"));
  EXPECT_TRUE(matches("a{,b}.md", "a.md"));
  EXPECT_TRUE(matches("a\\{b,c\\}.md", "a{b,c}.md"));
  EXPECT_TRUE(matches("[{,}]", ","));
  EXPECT_TRUE(matches("**/{*.md,*.txt}", "x/y.md"));
}

TEST(Glob, WhatIsWrongWithAPattern) {
  for (const char* pattern : {"", "[a", "{a,b", "a}", "a\\", "{[a}"}) {
    const auto compiled = GlobPattern::compile(pattern);
    ASSERT_FALSE(compiled) << pattern;
    EXPECT_EQ(compiled.error().word(), "bad_argument") << pattern;
  }
  std::string many;
  for (int i = 0; i < 12; ++i) many += "{a,b}";
  EXPECT_THAT(GlobPattern::compile(many).error().message, HasSubstr("alternatives"));
  EXPECT_THAT(GlobPattern::compile("ab[c").error().message, HasSubstr("character 3"));
}

TEST(Glob, AnswersWithPathsThatReadTakes) {
  TestLibrary files(true);
  for (const char* path :
       {"b.md", "a.md", "a-b/x.md", "a/x.md", "a/y/z.md", ".hidden.md", ".git/x.md", "a/.holdfast-o_1-0", "n.json"})
    files.write(path, "x");
  files.link("a.md", "link.md");
  EXPECT_EQ(globbed(files, "**"), "a-b/x.md\na.md\na/x.md\na/y/z.md\nb.md\nn.json");
  EXPECT_EQ(globbed(files, "*.md"), "a.md\nb.md");
  EXPECT_EQ(globbed(files, "*.md", "a"), "a/x.md");
  EXPECT_EQ(globbed(files, "**/*.md", "a/"), "a/x.md\na/y/z.md");
  EXPECT_EQ(globbed(files, "a/*.md", "a"), "No matches found.");
  EXPECT_EQ(globbed(files, "*.md", "."), "a.md\nb.md");
  EXPECT_EQ(globbed(files, "*.md", "nothing"), "no_such_document");
  EXPECT_EQ(globbed(files, "*.md", ".."), "path_denied");
  EXPECT_EQ(globbed(files, "*.md", "a.md"), "bad_argument");
}

TEST(Glob, SaysWhatIsLeftOff) {
  TestLibrary files;
  for (std::size_t i = 0; i < kMaxGlobPaths + 3; ++i) files.write(fmt::format("{}.md", i), "");
  const std::string text = globbed(files, "*");
  EXPECT_EQ(std::ranges::count(text, '\n'), kMaxGlobPaths);
  EXPECT_THAT(text, HasSubstr("[3 more were left off"));
}

}  // namespace
}  // namespace holdfast::documents
