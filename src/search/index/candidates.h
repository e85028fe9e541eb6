#pragma once

// The blocks of a segment that may hold what is asked for. Never leaves one out that does; what it lets through is verified.

#include "search/index/query_plan.h"
#include "search/index/segment/segment.h"

namespace holdfast::search {

// Of `among`. Cheap questions first, scans of the word list only while many blocks are left.
BlockSet candidates(const Segment& segment, const QueryPlan& plan, BlockSet among);

}  // namespace holdfast::search
