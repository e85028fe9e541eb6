#pragma once

// Answers a search: records first (record_search.h), then newest first over the whole sequence of entries, from the index where
// it has been fed and by reading the entries where not, every hit checked against its stored text.

#include "session/query/search.h"
#include "store/sqlite/db.h"
#include "store/sqlite/search/text_index.h"

namespace holdfast::store {

struct SearchOutcome {
  session::SearchResult result;
  std::size_t scanned_bytes = 0;  // read because the index did not cover them
};

// `segments` are those of the index before the transaction of `db` began; nobody asks for them when the query names a session.
Result<SearchOutcome> search_sessions(Db& db, TextIndex& index, const std::vector<Segment>& segments,
                                      const session::SearchQuery& query);

}  // namespace holdfast::store
