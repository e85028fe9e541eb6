#pragma once

// Answers a search: records first, then entries, each newest first. The index names candidates (indexed_words.h), every one is
// compared with the words themselves.

#include "session/query/search.h"
#include "store/postgres/connection.h"

#include <string_view>

namespace holdfast::store::postgres {

Result<session::SearchResult> search(Connection& connection, const session::SearchQuery& query);

// How a search goes through a table whose `words` are indexed: by the index, which names all texts with the words and in no
// order, or along the order of time until there are enough. The first costs by the texts that have the words, the second by those
// that have not; a word that is in every text must not be looked up, and for one that is in none of a million the way through all
// of them takes seconds.
//
// The planner would choose, but it takes every word it has no statistics of for one that half a percent of the texts have. So we
// ask: of the newest texts, how many have the words; if few, does the index name more than is worth looking at? That is the
// square root of the size, where both ways cost the same: some thousand texts of a million, and ten milliseconds.
enum class SearchWay { by_index, by_order };

// `candidates` is of indexed_words.h. May be planned once for all words: what the choice depends on is asked while it runs.
Statement choose_way_to_records(std::string_view candidates);
Statement choose_way_to_entries(std::string_view candidates);
SearchWay chosen_way(const Answer& answer);

}  // namespace holdfast::store::postgres
