#pragma once

// One search: what is not indexed is scanned, candidates among the blocks are verified in their sources, newest first, until
// there is enough. More threads join when many blocks have to be read.

#include "base/pool.h"
#include "session/text_index.h"
#include "store/index/hit_list.h"
#include "store/index/index_view.h"

#include <memory>

namespace holdfast::store::index {

Result<session::TextResult> search_index(const std::shared_ptr<const IndexView>& view, session::PassageSources& sources,
                                         const session::TextQuery& query, Pool& pool);

}  // namespace holdfast::store::index
