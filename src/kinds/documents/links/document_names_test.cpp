// Which document a link means (document-review §5 `get_links`, resolution).

#include "kinds/documents/links/link_map.h"

#include <gmock/gmock.h>

namespace holdfast::documents {
namespace {

using ::testing::ElementsAre;

std::string meant(const DocumentNames& names, std::string_view from, std::string_view target) {
  const Meaning meaning = names.resolve(from, target).meaning;
  if (meaning.kind == Meaning::Kind::document) return meaning.path;
  return meaning.kind == Meaning::Kind::broken ? "broken" : "ambiguous";
}

TEST(DocumentNames, BesideTheSourceFirstThenFromTheRoot) {
  const DocumentNames names({"a.md", "x/a.md", "x/b.md", "y/c.md"}, {});
  EXPECT_EQ(meant(names, "x/b.md", "a"), "x/a.md");
  EXPECT_EQ(meant(names, "y/c.md", "a"), "a.md");
  EXPECT_EQ(meant(names, "y/c.md", "x/a"), "x/a.md");
  EXPECT_EQ(meant(names, "x/b.md", "/a"), "a.md");
  EXPECT_EQ(meant(names, "x/b.md", "../y/c.md"), "y/c.md");
  EXPECT_EQ(meant(names, "x/b.md", "./a.md"), "x/a.md");
}

TEST(DocumentNames, TheExtensionIsImpliedOrGivenInAnyCase) {
  const DocumentNames names({"Page.md", "v1.2.md", "data.json", "Größe.md"}, {});
  for (const char* target : {"Page", "page", "PAGE.MD", "Page.md"}) EXPECT_EQ(meant(names, "v1.2.md", target), "Page.md");
  EXPECT_EQ(meant(names, "Page.md", "v1.2"), "v1.2.md");
  EXPECT_EQ(meant(names, "Page.md", "data.json"), "data.json");
  EXPECT_EQ(meant(names, "Page.md", "data"), "broken");
  EXPECT_EQ(meant(names, "Page.md", "GRÖSSE"), "Größe.md");
}

TEST(DocumentNames, DotsClampAtTheRootAndFoldersAreNoDocuments) {
  const DocumentNames names({"a.md", "x/b.md"}, {});
  EXPECT_EQ(meant(names, "x/b.md", "../../../../a"), "a.md");
  EXPECT_EQ(meant(names, "a.md", "x"), "broken");
  EXPECT_EQ(meant(names, "a.md", ".."), "broken");
  EXPECT_EQ(meant(names, "a.md", "x/.."), "broken");
}

TEST(DocumentNames, AUniqueNameIsFoundAnywhereElseItIsAmbiguous) {
  const DocumentNames names({"a.md", "x/one.md", "x/two.md", "y/two.md"}, {});
  EXPECT_EQ(meant(names, "a.md", "one"), "x/one.md");
  EXPECT_EQ(meant(names, "a.md", "two"), "ambiguous");
  EXPECT_THAT(names.resolve("a.md", "two").meaning.candidates, ElementsAre("x/two.md", "y/two.md"));
  EXPECT_EQ(meant(names, "a.md", "z/one"), "broken");
}

TEST(DocumentNames, OfNamesThatDifferInCaseTheExactOneIsMeant) {
  const DocumentNames names({"Page.md", "page.md"}, {});
  EXPECT_EQ(meant(names, "x.md", "page"), "page.md");
  EXPECT_EQ(meant(names, "x.md", "Page"), "Page.md");
  EXPECT_EQ(meant(names, "x.md", "PAGE"), "ambiguous");
}

TEST(DocumentNames, OfSeveralFoldersTheSourcesOwnComesFirst) {
  const DocumentNames names({"home/a.md", "home/sub/b.md", "work/a.md", "work/c.md"}, {"home", "work"});
  EXPECT_EQ(meant(names, "home/sub/b.md", "a"), "home/a.md");
  EXPECT_EQ(meant(names, "home/sub/b.md", "../../a"), "home/a.md");
  EXPECT_EQ(meant(names, "home/sub/b.md", "work/c"), "work/c.md");
  EXPECT_EQ(meant(names, "home/a.md", "c"), "work/c.md");
}

}  // namespace
}  // namespace holdfast::documents
