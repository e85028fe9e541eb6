#pragma once

// One search: what is not indexed is scanned, candidates among the blocks are verified in their sources, newest first, until
// there is enough. More threads join when many blocks have to be read.

#include "base/run/pool.h"
#include "search/index/division.h"
#include "search/index/text_index.h"

#include <memory>

namespace holdfast::search {

TextResult search_index(std::shared_ptr<const Division> division, PassageSources& sources, const TextQuery& query, Pool& pool);

}  // namespace holdfast::search
