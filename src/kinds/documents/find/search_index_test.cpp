// Search by words (document-review §5 `search`).

#include "kinds/documents/find/search_index.h"

#include "kinds/documents/files/test_library.h"
#include "kinds/documents/workspace/test_overlay.h"

#include <gmock/gmock.h>

namespace holdfast::documents {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Search : ::testing::Test {
  std::string search(std::string_view query, std::size_t limit = 20) {
    return index.search(library.library(), overlay, query, limit, {}).value();
  }

  TestLibrary library;
  TestOverlay overlay;
  SearchIndex index;
};

TEST_F(Search, ShowsPathLineTitleAndSnippet) {
  library.write("notes/retry.md", "# Retry policy\n\nOther text.\nWe retry five times\nand then give up.\n\nEnd.\n");
  EXPECT_EQ(search("retry five"), "notes/retry.md:4: Retry policy\nWe retry five times\nand then give up.");
}

TEST_F(Search, AllWordsAreRequired) {
  library.write("a.md", "kelp grows");
  library.write("b.md", "kelp sinks");
  EXPECT_THAT(search("kelp grows"), AllOf(HasSubstr("a.md:1"), Not(HasSubstr("b.md"))));
  EXPECT_EQ(search("kelp walrus"), "No results. No document has: walrus.");
  EXPECT_EQ(search("grows sinks"), "No results. No document has all of these words; search for fewer.");
}

TEST_F(Search, PhrasesKeepTheirOrder) {
  library.write("a.md", "the old pier is shut");
  library.write("b.md", "the pier is old");
  EXPECT_THAT(search("\"old pier\""), AllOf(StartsWith("a.md:1"), Not(HasSubstr("b.md"))));
  EXPECT_THAT(search("\"shut pier\""), HasSubstr("not as that phrase"));
}

TEST_F(Search, TitlesCountTwiceAndTiesAreOrderedByPath) {
  library.write("b.md", "# Harbour\n\ntext about ships and more\n");
  library.write("a.md", "# Ships\n\ntext about harbour and more\n");
  EXPECT_THAT(search("harbour"), StartsWith("b.md:1: Harbour"));
  EXPECT_THAT(search("text"), StartsWith("a.md:3: Ships"));
}

TEST_F(Search, BlankQueryHasNoResults) {
  library.write("a.md", "text");
  EXPECT_EQ(search(""), "No results.");
  EXPECT_EQ(search(" \"\" "), "No results.");
}

TEST_F(Search, IndexesTheAcceptedView) {
  library.write("a.md", "the {--wharf--}{++{\"id\":\"c_1\",\"author\":\"dev\",\"timestamp\":1}@@pier++} is shut");
  EXPECT_THAT(search("pier"), HasSubstr("\nthe pier is shut"));
  EXPECT_THAT(search("wharf"), StartsWith("No results"));
  EXPECT_THAT(search("author"), StartsWith("No results"));
}

TEST_F(Search, SeesChangesAtOnce) {
  library.write("a.md", "walrus");
  EXPECT_THAT(search("walrus"), HasSubstr("a.md"));
  library.write("a.md", "dugong");
  EXPECT_THAT(search("walrus"), StartsWith("No results"));
  EXPECT_THAT(search("dugong"), HasSubstr("a.md"));
  std::filesystem::remove(library / "a.md");
  EXPECT_THAT(search("dugong"), StartsWith("No results"));
}

TEST_F(Search, ProposalsAreSeenAndForgotten) {
  library.write("a.json", "{\"animal\": \"walrus\"}");
  overlay.proposals[library.find("a.json").key] = "{\"animal\": \"dugong\"}";
  EXPECT_THAT(search("dugong"), HasSubstr("a.json:1: a\n{\"animal\": \"dugong\"}"));
  EXPECT_THAT(search("walrus"), StartsWith("No results"));
  overlay.proposals.clear();
  EXPECT_THAT(search("walrus"), HasSubstr("a.json"));
}

TEST_F(Search, SaysHowManyMoreThereAre) {
  for (const char* name : {"a.md", "b.md", "c.md"}) library.write(name, "walrus");
  EXPECT_THAT(search("walrus", 2), HasSubstr("[2 documents shown, 1 more has all the words; raise limit or add words]"));
}

// The index has a limit; files without a byte on the disk reach it.
TEST_F(Search, SaysWhatIsNotSearched) {
  library.write("a.md", "walrus");
  for (int i = 0; i < 513; ++i) {
    const std::string name = "z" + std::to_string(1000 + i) + ".md";
    library.write(name, "");
    std::filesystem::resize_file(library / name, 4 << 20);
  }
  EXPECT_THAT(search("walrus"), AllOf(StartsWith("a.md:1"), HasSubstr("[2 documents are not searched")));
  EXPECT_THAT(search("dugong"), AllOf(StartsWith("No results."), HasSubstr("[2 documents are not searched")));
}

TEST_F(Search, NothingIsReadOutsideOfText) {
  library.write("a.md", std::string("walrus\0", 7));
  library.write("b.md", "walrus \xFF");
  EXPECT_THAT(search("walrus"), StartsWith("No results"));
}

TEST(Title, FrontMatterThenHeadingThenName) {
  EXPECT_EQ(title_of("---\ndate: x\ntitle: \"The Title\"\n---\n# Heading\n", "x/a.md").text, "The Title");
  EXPECT_EQ(title_of("---\ndate: x\n---\ntext\n# Heading\n", "x/a.md").text, "Heading");
  EXPECT_EQ(title_of("```\n# comment\n```\n", "x/some name.v1.md").text, "some name.v1");
  EXPECT_FALSE(title_of("", "a.md").in_text);
}

}  // namespace
}  // namespace holdfast::documents
