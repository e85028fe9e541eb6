// Links of one text (document-review §5 `get_links`: forms, not in code).

#include "base/text/text.h"
#include "kinds/documents/links/links.h"
#include "kinds/documents/text/views.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace holdfast::documents {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> targets(std::string_view text) {
  std::vector<std::string> found;
  for (const Link& link : find_links(text)) found.push_back(link.target);
  return found;
}

TEST(FindLinks, KnowsTheWikiForms) {
  const std::string text = "[[n]] [[a b#h]] [[c|alias]] ![[d]] [[ e ]] | [[f\\|in a table]] |";
  EXPECT_THAT(targets(text), ElementsAre("n", "a b", "c", "d", "e", "f"));
  const std::vector<Link> links = find_links(text);
  EXPECT_EQ(links[1].form, Link::Form::wiki);
  EXPECT_EQ(links[3].form, Link::Form::embed);
  EXPECT_EQ(text.substr(links[3].begin, links[3].end - links[3].begin), "![[d]]");
  for (const Link& link : links) EXPECT_EQ(text.substr(link.target_begin, link.target_end - link.target_begin), link.target);
}

TEST(FindLinks, KnowsMarkdownLinksAndDecodesThem) {
  EXPECT_THAT(targets("[t](rel/path.md) [t](my%20page.md#part) ![i](pic.png) [t](<with blanks.md> \"title\")"),
              ElementsAre("rel/path.md", "my page.md", "pic.png", "with blanks.md"));
  EXPECT_THAT(targets("[t](a(b).md) [t](c\\(d.md 'title') [t]( e.md ) [t](100%.md)"),
              ElementsAre("a(b).md", "c(d.md", "e.md", "100%.md"));
  EXPECT_THAT(targets("[a [nested] text](x.md) [![image](y.png)](z.md)"), ElementsAre("x.md", "y.png", "z.md"));
}

TEST(FindLinks, LeavesOutWhatNamesNoDocument) {
  EXPECT_THAT(targets("[t](https://example.org/a.md) [t](mailto:me@example.org) [t](#part) [t]() [t](//host/x) [t](folder/)"),
              IsEmpty());
  EXPECT_THAT(targets("[[]] [[#only]] [[|alias]] [[https://example.org]] [t] (a.md) \\[[x]] [t\\](y.md) [[a\nb]]"), IsEmpty());
  EXPECT_THAT(targets("[t](two words.md) [t](unclosed.md"), IsEmpty());
  EXPECT_THAT(targets("text {>>see [[Comment]]<<} [[Real]]"), ElementsAre("Real"));
}

TEST(FindLinks, LeavesOutCode) {
  EXPECT_THAT(targets("`[[a]]` [[b]] ``[t](`c.md)`` [[d]]"), ElementsAre("b", "d"));
  EXPECT_THAT(targets("[[a]]\n```\n[[b]]\n[t](c.md)\n```\n[[d]]\n~~~ md\n[[e]]\n"), ElementsAre("a", "d"));
  EXPECT_THAT(targets("```x``` [[a]]\n"), ElementsAre("a"));
}

TEST(FindLinks, SeesThroughPendingChangesInTheAcceptedView) {
  EXPECT_THAT(targets(view_of("{--[[Old--}{++[[New++} Page]]", Side::accepted)), ElementsAre("New Page"));
  EXPECT_THAT(targets(view_of("{--[[Old--}{++[[New++} Page]]", Side::base)), ElementsAre("Old Page"));
}

RC_GTEST_PROP(FindLinks, TargetsAreInOrderAndInsideOfTheirLinks, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("[[", "]]", "[", "]", "(", ")", "](", "a", "b.md", "`", "```", "\n", "\n\n", "\\", "|", "#",
                                    "!", "<", ">", " ", "\"", "{>>", "<<}", "%20", "ä"));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  std::size_t before = 0;
  for (const Link& link : find_links(text)) {
    RC_ASSERT(link.begin < link.target_begin);
    RC_ASSERT(before <= link.target_begin);
    RC_ASSERT(link.target_begin < link.target_end);
    RC_ASSERT(link.target_end < link.end);
    RC_ASSERT(link.end <= text.size());
    RC_ASSERT(!link.target.empty());
    before = link.target_end;
  }
}

TEST(FindLinks, TakesLinearTimeForWhatNeverCloses) {
  for (const std::string piece : {"[[", "[](x", "[](<x", "[](x \"", "{>>", "[", "`[[a", "](", "[[a]]"}) {
    std::string text;
    while (text.size() < 1'000'000) text += piece;
    EXPECT_LT(find_links(text).size(), text.size()) << piece;
  }
}

}  // namespace
}  // namespace holdfast::documents
