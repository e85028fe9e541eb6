#pragma once

// Answers a search: records first (record_search.h), then newest first over the whole sequence of entries, by the index
// (store_index.h) where it has been fed and by reading the entries where not, every hit checked against its stored text.

#include "session/query/search.h"
#include "store/sqlite/db.h"
#include "store/sqlite/search/store_index.h"

namespace holdfast::store {

struct SearchOutcome {
  session::SearchResult result;
  std::size_t scanned_bytes = 0;  // read because the index did not cover them
};

// The first that is read in the transaction of `db`.
Result<SearchOutcome> search_sessions(Db& db, StoreIndex& index, const session::SearchQuery& query);

}  // namespace holdfast::store
