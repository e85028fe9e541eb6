#pragma once

// Answers a search: records first, then entries, each newest first. The index names candidates (indexed_words.h), every one is
// compared with the words themselves.

#include "session/query/search.h"
#include "store/postgres/connection.h"

namespace holdfast::store::postgres {

Result<session::SearchResult> search(Connection& connection, const session::SearchQuery& query);

}  // namespace holdfast::store::postgres
