#pragma once

// Answers a list from the columns of a catalogue: one pass over all sessions, which counts those that fit and keeps the best.

#include "store/sqlite/lists/buckets.h"
#include "store/sqlite/lists/catalogue_columns.h"
#include "store/tables/order.h"

namespace holdfast::store {

// Labels are asked for in groups of "has one of these", one bit each: the roots, every tag, project, task, aspects.
inline constexpr std::size_t kMaxLabelGroups = 32;

// Whether the columns know what the query asks for.
bool can_scan(const CatalogueColumns& columns, const session::Query& query);

// `buckets` are all there are, the first at number 1 (read_buckets).
Found scan(const CatalogueColumns& columns, const session::Query& query, const std::vector<Bucket>& buckets,
           const std::optional<session::Position>& after);

}  // namespace holdfast::store
