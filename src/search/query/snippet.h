#pragma once

// What is shown of a hit: the part of a text that tells best why it was found. The one maker of them.

#include "search/query/ranked_query.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::search {

using Stretches = std::vector<std::pair<std::size_t, std::size_t>>;  // begin and end

struct Snippet {
  std::string text;
  std::size_t line = 1;  // of the text, from 1: where it begins; of an excerpt nobody knows
  Stretches highlights;  // in order, without overlap; of an excerpt
};

// Of a piece that was cut out around the best place: on one line, cut at words, "…" where the text goes on. places: where in
// folded text (fold.h) something stands that was asked for.
Snippet snippet_of_excerpt(std::string_view excerpt, bool cut_before, bool cut_behind,
                           const std::function<Stretches(std::string_view folded)>& places);

// verbatim: one line, or some that follow each other in a paragraph, as they stand; of a long line a part.
// one_line: from that place on, white space folded, valid UTF-8, shortened with "…".
enum class SnippetForm { verbatim, one_line };

// From the line that has most of the words, those with a phrase first; at most so many characters.
Snippet snippet_of(std::string_view text, const RankedQuery& query, SnippetForm form, std::size_t characters);

}  // namespace holdfast::search
