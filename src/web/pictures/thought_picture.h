#pragma once

#include "kinds/reasoning/read/graph.h"
#include "web/pictures/picture.h"

namespace holdfast::web {

// A line of reasoning: the main chain, branches beside it from their fork on, revisions as arcs back to what they correct.
// Stretches in which nothing but the next thought happens are folded to one node, unless `unfolded`.
Picture thought_picture(const reasoning::Graph& graph, std::string_view session, bool unfolded);

}  // namespace holdfast::web
