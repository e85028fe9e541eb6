#include "web/pictures/picture.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::web {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string drawn(const Picture& picture) {
  Html page;
  show_picture(page, picture);
  return std::move(page).finish();
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

reasoning::Thought thought(std::int64_t seq, std::int64_t number, std::string branch = {}) {
  reasoning::Thought made;
  made.seq = seq;
  made.number = number;
  made.branch = std::move(branch);
  made.text = fmt::format("thought <{}>", number);
  made.type = "reasoning";
  return made;
}

TEST(Picture, TextIsEscapedAndNothingIsInline) {
  Picture picture;
  picture.name = "A <picture>";
  picture.nodes = {{0, "<script>\nalert(1)</script>", "a\"b", "/sessions/1", "here"}, {99, "plain", "", "", ""}};
  picture.edges = {{0, 1, false}, {0, 1, true}, {0, 7, false}};
  const std::string svg = drawn(picture);
  EXPECT_THAT(svg, HasSubstr("&lt;script&gt; alert(1)&lt;/script&gt;"));
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_THAT(svg, Not(HasSubstr("style=")));
  EXPECT_THAT(svg, HasSubstr("aria-label=\"A &lt;picture&gt;\""));
  EXPECT_EQ(count(svg, "<path"), 2) << "an edge to nowhere is not drawn";
  EXPECT_EQ(count(svg, "href=\"/sessions/1\""), 2) << "in the picture and in the list";
}

TEST(Picture, HasALimit) {
  Picture picture;
  for (std::size_t i = 0; i < Picture::kMaxNodes + 5; ++i) {
    picture.nodes.push_back({0, "node", "", "", ""});
    if (i > 0) picture.edges.push_back({i - 1, i, false});
  }
  const std::string svg = drawn(picture);
  EXPECT_EQ(count(svg, "<circle"), Picture::kMaxNodes);
  EXPECT_EQ(count(svg, "<path"), Picture::kMaxNodes - 1);
  EXPECT_THAT(svg, HasSubstr("The first 1000 of 1005 are drawn."));
}

TEST(ThoughtPicture, DrawsBranchesAndRevisions) {
  reasoning::Graph graph;
  graph.thoughts = {thought(1, 1), thought(2, 2), thought(3, 1, "b"), thought(4, 3), thought(5, 2, "b")};
  graph.thoughts[2].branch_from = 2;
  graph.thoughts[3].revises = 1;
  graph.branches = {"b"};
  const Picture picture = thought_picture(graph, "s", false);
  ASSERT_EQ(picture.nodes.size(), 5);
  EXPECT_EQ(picture.nodes[2].column, 1);
  EXPECT_EQ(picture.nodes[2].label, "b:1 thought <1>");
  EXPECT_EQ(picture.nodes[3].detail, "revises 1");
  EXPECT_EQ(picture.nodes[4].link, "/sessions/s?line=5#L5");
  std::vector<std::string> edges;
  for (const PictureEdge& edge : picture.edges)
    edges.push_back(fmt::format("{}{}{}", edge.from, edge.is_revision ? "~" : "-", edge.to));
  EXPECT_THAT(edges, testing::ElementsAre("0-1", "1-2", "1-3", "0~3", "2-4"));
}

TEST(ThoughtPicture, FoldsLongStretchesOnly) {
  reasoning::Graph graph;
  for (int i = 1; i <= 131; ++i) graph.thoughts.push_back(thought(i, i));
  graph.thoughts[99].revises = 50;
  const Picture picture = thought_picture(graph, "s", false);
  // 1 2 … 48 49, 50, 51 52 … 98 99, 100, 101 102 … 130 131
  ASSERT_EQ(picture.nodes.size(), 17);
  EXPECT_EQ(picture.nodes[2].label, "… 45 thoughts, 3 to 47");
  EXPECT_EQ(picture.nodes[2].css_class, "folded");
  EXPECT_EQ(picture.edges.size(), 17) << "one chain without a gap, and the revision";
  EXPECT_EQ(thought_picture(graph, "s", true).nodes.size(), 131);
  EXPECT_TRUE(thought_picture({}, "s", false).nodes.empty());
}

TEST(FamilyPicture, SurvivesACircle) {
  transcripts::LineageTree tree;
  tree.root_session_id = "a";
  tree.queried_session_id = "b";
  for (const char* id : {"a", "b", "c"}) tree.nodes[id].session_id = id;
  tree.nodes["a"].children = {"b", "c"};
  tree.nodes["b"].children = {"a"};
  tree.nodes["b"].method = "clone";
  const Picture picture = family_picture(tree, [](const std::string& id) { return id == "c" ? "" : "title of " + id; });
  ASSERT_EQ(picture.nodes.size(), 3);
  EXPECT_EQ(picture.nodes[0].label, "title of a");
  EXPECT_EQ(picture.nodes[1].css_class, "here");
  EXPECT_EQ(picture.nodes[1].detail, "b, clone");
  EXPECT_EQ(picture.nodes[2].css_class, "gone");
  EXPECT_EQ(picture.nodes[2].link, "");
  EXPECT_EQ(picture.edges.size(), 2);
}

}  // namespace
}  // namespace holdfast::web
