#pragma once

// What is shown of a hit: one line around the best place, and where in it the words of the query stand.

#include "search/index/passage_match.h"

#include <string>
#include <utility>
#include <vector>

namespace holdfast::search {

struct Snippet {
  std::string text;
  std::vector<std::pair<std::size_t, std::size_t>> highlights;  // begin and end, in order, without overlap
};

Snippet make_snippet(const PassageMatch& match, const QueryPlan& plan);

}  // namespace holdfast::search
