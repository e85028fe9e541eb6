// grep over a library (document-review §5 `grep`, §12).

#include "kinds/documents/find/grep.h"

#include "kinds/documents/files/test_library.h"
#include "kinds/documents/text/view_reader.h"
#include "kinds/documents/workspace/test_overlay.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace holdfast::documents {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Grep : ::testing::Test {
  Result<std::string> run() { return grep(library.library(), overlay, request); }
  std::string text() {
    const auto result = run();
    return result ? *result : "error: " + result.error().message;
  }
  std::string content(std::string pattern) {
    request.pattern = std::move(pattern);
    request.output_mode = "content";
    return text();
  }

  TestLibrary library;
  TestOverlay overlay;
  GrepRequest request;
};

TEST_F(Grep, ListsFilesInBytewiseOrderByDefault) {
  for (const char* path : {"b.md", "a/z.md", "a.md", "B.md", "none.md"})
    library.write(path, std::string(path) == "none.md" ? "nothing" : "kelp");
  request.pattern = "kelp";
  EXPECT_EQ(text(), "B.md\na.md\na/z.md\nb.md");
  request.pattern = "walrus";
  EXPECT_EQ(text(), "No matches found.");
}

TEST_F(Grep, CountsMatchingLines) {
  library.write("a.md", "kelp kelp\nkelp\n\n");
  library.write("b.md", "sand\n");
  request.pattern = "kelp";
  request.output_mode = "count";
  EXPECT_EQ(text(), "a.md:2");
}

TEST_F(Grep, GroupsAreDividedOnlyWhenContextWasAskedFor) {
  library.write("a.md", "x\n1\n2\n3\nx\n");
  library.write("b.md", "0\nx\n");
  EXPECT_EQ(content("x"), "a.md:1:x\na.md:5:x\nb.md:2:x");
  request.context_asked = true;
  EXPECT_EQ(content("x"), "a.md:1:x\n--\na.md:5:x\n--\nb.md:2:x");
  request.before = 1;
  EXPECT_EQ(content("x"), "a.md:1:x\n--\na.md-4-3\na.md:5:x\n--\nb.md-1-0\nb.md:2:x");
}

TEST_F(Grep, SearchesTheAcceptedViewWithItsLineNumbers) {
  library.write(
      "a.md",
      "one\n{--two\nthree\n--}the {--wharf--}{++{\"id\":\"c_1\",\"author\":\"dev's AI\",\"timestamp\":1}@@pier++} is shut\n");
  EXPECT_EQ(content("pier is"), "a.md:2:the pier is shut");
  EXPECT_EQ(content("author"), "No matches found.");
  EXPECT_EQ(content("wharf"), "No matches found.");
  request.view = "base";
  EXPECT_EQ(content("wharf is"), "a.md:4:the wharf is shut");
  request.view = "raw";
  EXPECT_THAT(content("author"), StartsWith("a.md:4:--}the {--wharf--}"));
  request.view = "other";
  EXPECT_EQ(code_of(run()), "bad_argument");
}

TEST_F(Grep, MarkupIsTextInOtherKindsAndProposalsAreSeen) {
  library.write("a.cpp", "f({++i, --j});\n");
  EXPECT_EQ(content("\\{\\+\\+i"), "a.cpp:1:f({++i, --j});");
  overlay.proposals[library.find("a.cpp").key] = "g();\n";
  EXPECT_EQ(content("g"), "a.cpp:1:g();");
  EXPECT_EQ(content("f\\("), "No matches found.");
}

TEST_F(Grep, HeadLimitAndOffsetGoOnWhereTheyStopped) {
  for (int i = 0; i < 100; ++i) library.write(fmt::format("{:03}.md", i), "kelp\nkelp\n");
  request.pattern = "kelp";
  request.head_limit = 2;
  EXPECT_EQ(text(), "000.md\n001.md\n\n[2 files shown; continue with offset 2]");
  request.offset = 98;
  EXPECT_EQ(text(), "098.md\n099.md");
  request.offset = 100;
  EXPECT_EQ(text(), "No more matches: there are 100 files.");
  request.offset = 1;
  EXPECT_EQ(content("kelp"), "000.md:2:kelp\n001.md:1:kelp\n\n[2 lines shown; continue with offset 3]");
  request.head_limit = 0;
  request.offset = 0;
  EXPECT_EQ(std::ranges::count(content("kelp"), '\n'), 199);
}

TEST_F(Grep, TheAnswerStaysWithinWhatAClientShows) {
  for (int i = 0; i < 100; ++i) library.write(fmt::format("{:03}.md", i), "kelp " + std::string(1500, 'x') + "\n");
  request.head_limit = 0;
  const std::string answer = content("kelp");
  EXPECT_LT(answer.size(), 61'000U);
  EXPECT_THAT(answer, HasSubstr("lines shown; continue with offset"));
}

TEST_F(Grep, WhatIsNotTextIsSkippedWithANote) {
  library.write("a.md", "kelp\n");
  library.write("b.md", std::string("kelp\0", 5));
  library.write("c.md", "kelp \xFF\n");
  request.pattern = "kelp";
  EXPECT_EQ(text(), "a.md\n\n[skipped: 2 files that are not text]");
}

TEST_F(Grep, AByteOrderMarkAndCarriageReturnsAreNotInTheWay) {
  library.write("a.md", "\xEF\xBB\xBFkelp\r\nsand\r\n");
  EXPECT_EQ(content("^kelp$"), "a.md:1:kelp");
}

TEST_F(Grep, PathAndGlobNarrowIt) {
  for (const char* path : {"a.md", "a.txt", "x/b.md", "x/y/c.md", "z/d.md"}) library.write(path, "kelp");
  request.pattern = "kelp";
  request.glob = "*.md";
  EXPECT_EQ(text(), "a.md\nx/b.md\nx/y/c.md\nz/d.md");
  request.path = "x";
  EXPECT_EQ(text(), "x/b.md\nx/y/c.md");
  request.glob = "y/*.md";
  EXPECT_EQ(text(), "x/y/c.md");
  request.glob = "";
  request.path = "a.txt";
  EXPECT_EQ(text(), "a.txt");
  request.path = "nowhere";
  EXPECT_EQ(code_of(run()), "no_such_document");
}

TEST_F(Grep, IgnoredAndHiddenFilesAreNotSearched) {
  library.write(".gitignore", "build/\n");
  library.write("build/a.md", "kelp");
  library.write(".hidden.md", "kelp");
  request.pattern = "kelp";
  EXPECT_EQ(text(), "No matches found.");
}

TEST_F(Grep, RefusesWhatItCannotDo) {
  request.pattern = "(?=x)";
  EXPECT_EQ(code_of(run()), "bad_regex");
  request.pattern = "x";
  request.output_mode = "lines";
  EXPECT_EQ(code_of(run()), "bad_argument");
  request.output_mode = "content";
  request.before = -1;
  EXPECT_EQ(code_of(run()), "bad_argument");
}

TEST_F(Grep, SaysHowFarItCameWhenTimeIsUp) {
  library.write("a.md", "kelp");
  library.write("b.md", "kelp");
  request.pattern = "kelp";
  request.deadline = std::chrono::milliseconds(0);
  const auto result = run();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::timeout);
  EXPECT_THAT(result.error().message, HasSubstr("longer than 0 ms"));
  EXPECT_THAT(result.error().hint, HasSubstr("path or glob"));
}

TEST_F(Grep, StopsWhenTheCallerGivesUp) {
  library.write("a.md", "kelp");
  request.pattern = "kelp";
  request.cancelled = [] { return true; };
  EXPECT_EQ(code_of(run()), "cancelled");
}

}  // namespace
}  // namespace holdfast::documents
