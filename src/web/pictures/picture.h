#pragma once

// A graph as a picture that a page can hold: one row a node, columns for lines beside each other, as a history is drawn.
//
// Made on the server as SVG inside of the page: nodes are links that can be reached by keyboard, colours come from the style
// sheet, every text is escaped. Under it the same as a list, for those who do not see the picture. Nodes beyond kMaxNodes are
// left out and said so, edges are drawn between nodes that are there.

#include "kinds/reasoning/read/graph.h"
#include "kinds/transcripts/family/lineage.h"
#include "web/pages/html.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::web {

struct PictureNode {
  std::size_t column = 0;
  std::string label;                // one line; cut when too long
  std::string detail;               // beside it, softer
  std::string link;                 // empty: not a link
  std::string_view css_class = "";  // "here", "gone", "folded", "revises"
};

struct PictureEdge {
  std::size_t from = 0, to = 0;  // indices of nodes; `from` is the older
  bool is_revision = false;
};

struct Picture {
  static constexpr std::size_t kMaxNodes = 1'000;  // more is a wall, and a megabyte
  static constexpr std::size_t kMaxColumns = 24;   // deeper ones share the last
  static constexpr std::size_t kLabelChars = 90;

  std::string name;  // what it shows, in a few words
  std::vector<PictureNode> nodes;
  std::vector<PictureEdge> edges;
};

void show_picture(Html& page, const Picture& picture);

// A family of sessions from its root on, children indented below their parents. `title_of` answers with nothing for a session
// that is gone, or that whoever asks may not see.
Picture family_picture(const transcripts::LineageTree& tree, const std::function<std::string(const std::string& id)>& title_of);

// A line of reasoning: the main chain, branches beside it from their fork on, revisions as arcs back to what they correct.
// Stretches in which nothing but the next thought happens are folded to one node, unless `unfolded`.
Picture thought_picture(const reasoning::Graph& graph, std::string_view session, bool unfolded);

}  // namespace holdfast::web
