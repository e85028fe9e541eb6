#pragma once

// The blocks of a segment that may hold what is asked for. Never leaves one out that does; what it lets through is verified.

#include "store/index/query_plan.h"
#include "store/index/segment/segment.h"

namespace holdfast::store::index {

// Of `among`. Cheap questions first, scans of the word list only while many blocks are left.
BlockSet candidates(const Segment& segment, const QueryPlan& plan, BlockSet among);

}  // namespace holdfast::store::index
