#pragma once

// One search: what is not indexed is scanned, candidates among the blocks are verified in their sources, newest first, until
// there is enough. More threads join when many blocks have to be read.

#include "base/run/pool.h"
#include "session/query/text_index.h"
#include "store/index/division.h"
#include "store/index/hit_list.h"

#include <memory>

namespace holdfast::store::index {

session::TextResult search_index(std::shared_ptr<const Division> division, session::PassageSources& sources,
                                 const session::TextQuery& query, Pool& pool);

}  // namespace holdfast::store::index
