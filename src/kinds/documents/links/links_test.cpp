// Links of a library (document-review §5 `get_links`).

#include "kinds/documents/links/links.h"

#include "kinds/documents/files/test_library.h"
#include "kinds/documents/workspace/test_overlay.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace holdfast::documents {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Links : ::testing::Test {
  LinkMap read() { return reader.read(library.library(), overlay, {}).value(); }

  TestLibrary library;
  TestOverlay overlay;
  LinkReader reader;
};

TEST_F(Links, ForwardAndBackward) {
  library.write("a.md", "[[b]] [t](x/c.md) [[b]] [[a]] `[[x/d]]`");
  library.write("b.md", "[[A]]");
  library.write("x/c.md", "[up](../a.md)");
  library.write("x/d.md", "");
  const LinkMap map = read();
  EXPECT_THAT(map.forward("a.md"), ElementsAre("a.md", "b.md", "x/c.md"));
  EXPECT_THAT(map.backward("a.md"), ElementsAre("a.md", "b.md", "x/c.md"));
  EXPECT_THAT(map.backward("x/d.md"), IsEmpty());
}

TEST_F(Links, TheToolsAnswerNamesBrokenAndAmbiguousOnes) {
  library.write("a.md", "[[b]] [[nowhere]] [[twice]] [web](https://example.org)");
  library.write("b.md", "");
  library.write("x/twice.md", "");
  library.write("y/twice.md", "");
  EXPECT_EQ(describe_links(read(), library.find("a.md")),
            "Backlinks (documents that link to this one):\n- (none)\n\n"
            "Forward links (documents that this one links to):\n- b.md\n\n"
            "Broken links (no document of that name):\n- nowhere\n\n"
            "Ambiguous links (several documents of that name):\n- twice: x/twice.md, y/twice.md");
  EXPECT_EQ(describe_links(read(), library.find("b.md")),
            "Backlinks (documents that link to this one):\n- a.md\n\n"
            "Forward links (documents that this one links to):\n- (none)");
}

TEST_F(Links, AreThoseOfTheAcceptedView) {
  library.write("a.md", "{--[[Old--}{++[[New++} Page]] {++[[Extra]]++}{--[[Gone]]--}");
  for (const char* name : {"Old Page.md", "New Page.md", "Extra.md", "Gone.md"}) library.write(name, "");
  EXPECT_THAT(read().forward("a.md"), ElementsAre("Extra.md", "New Page.md"));
  EXPECT_THAT(read().backward("Gone.md"), IsEmpty());
}

TEST_F(Links, FollowWhatChangesOnDisk) {
  library.write("a.md", "[[b]]");
  library.write("b.md", "");
  EXPECT_THAT(read().forward("a.md"), ElementsAre("b.md"));
  library.write("a.md", "[[c]]");  // as long as before, within the same second
  library.write("c.md", "");
  EXPECT_THAT(read().forward("a.md"), ElementsAre("c.md"));
  std::filesystem::remove(library / "c.md");
  EXPECT_THAT(read().broken("a.md"), ElementsAre("c"));
}

TEST_F(Links, IgnoredFilesAreNoDocuments) {
  library.write(".gitignore", "hidden/\n");
  library.write("a.md", "[[hidden/b]]");
  library.write("hidden/b.md", "[[a]]");
  EXPECT_THAT(read().broken("a.md"), ElementsAre("hidden/b"));
  EXPECT_THAT(read().backward("a.md"), IsEmpty());
}

TEST_F(Links, OtherKindsAreLinkedToButNotReadForLinks) {
  library.write("a.md", "[d](data.json) ![p](pic.png)");
  library.write("data.json", "[[a]]");
  library.write("pic.png", std::string("\0\xFF", 2));
  EXPECT_THAT(read().forward("a.md"), ElementsAre("data.json", "pic.png"));
  EXPECT_THAT(read().backward("a.md"), IsEmpty());
}

TEST_F(Links, ProposalsForKindsWithoutMarkupAreSeen) {
  library.settings().reviewed = {".txt"};
  library.reopen();
  library.write("a.md", "[[b]]");
  library.write("b.md", "");
  library.write("c.md", "");
  EXPECT_THAT(read().forward("a.md"), ElementsAre("b.md"));
  overlay.proposals[library.find("a.md").key] = "[[c]]";
  EXPECT_THAT(read().forward("a.md"), ElementsAre("c.md"));
  overlay.proposals.clear();
  EXPECT_THAT(read().forward("a.md"), ElementsAre("b.md"));
}

// Parity: A lists B forward <=> B lists A backward.
RC_GTEST_PROP(LinksProperty, ForwardAndBackwardAgree, ()) {
  TestLibrary library;
  const std::vector<std::string> paths = {"a.md", "b.md", "B.md", "x/a.md", "x/c d.md", "y/x/a.md"};
  for (const std::string& path : paths) {
    std::string text;
    const auto links = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("[[a]]", "[[b]]", "[[B]]", "[[x/a]]", "[[c d]]", "[t](../a.md)", "[t](c%20d)",
                                      "{++[[/y/x/a]]++}", "{--[[a]]--}", "`[[b]]`", "[[nowhere]]", "\n"));
    for (const std::string& link : links) text += link;
    library.write(path, text);
  }
  LinkReader reader;
  const LinkMap map = reader.read(library.library(), TestOverlay(), {}).value();
  for (const std::string& from : paths) {
    for (const std::string& to : paths) {
      const auto forward = map.forward(from), backward = map.backward(to);
      RC_ASSERT((std::ranges::find(forward, to) != forward.end()) == (std::ranges::find(backward, from) != backward.end()));
    }
  }
}

}  // namespace
}  // namespace holdfast::documents
