#pragma once

// A session as a picture: the main chain as a line, branches as lines beside it that begin at their fork, revisions as arcs back
// to what they correct.

#include "kinds/reasoning/read/read.h"

namespace holdfast::reasoning {

// A picture of more than this is a wall; the middle of a long session is left out and said so.
inline constexpr std::size_t kMaxDrawn = 2000;

struct Graph {
  std::vector<Thought> thoughts;      // in the order they were written
  std::vector<std::string> branches;  // in the order they were begun
  std::int64_t left_out = 0;
};
Result<Graph> read_graph(session::Reader& reader, const session::SessionRecord& record);

// For a terminal: one line a thought, the branches in columns.
std::string graph_text(const Graph& graph, std::size_t width);
// Self-contained, every text escaped; colours follow the reader's light or dark preference.
std::string graph_svg(const Graph& graph, std::string_view title);

}  // namespace holdfast::reasoning
