#pragma once

// A list answered from the buckets (buckets.h): the total as a sum, the page merged from one index range per bucket.

#include "store/sqlite/lists/buckets.h"
#include "store/tables/condition.h"
#include "store/tables/order.h"

namespace holdfast::store {

// What of the store a query can mean.
struct Selection {
  std::vector<Bucket> buckets;  // with as many sessions as are found under the roots asked for
  std::int64_t all = 0;         // sessions in these buckets, whatever their roots
  Condition rest;               // what the buckets do not decide: times, aspects without a bucket of their own
};

// Whether sessions of the bucket can be meant. Only those of a bucket without an aspect of its own may still differ.
bool bucket_fits(const Bucket& bucket, const session::Query& query);

// nullopt: the query asks for what buckets know nothing about (text, tags, project, task).
Result<std::optional<Selection>> select_buckets(Db& db, const session::Query& query, std::vector<Bucket> buckets);

// How many sessions fit; nullopt: only the sessions themselves can tell.
Result<std::optional<std::int64_t>> count_selected(Db& db, const session::Query& query, const Selection& selection);

// Whether going along the order finds a page sooner than collecting the sessions of the roots and sorting them.
bool worth_walking(const session::Query& query, const Selection& selection);

// The places of one page and, when there is one, of the item behind it.
Result<std::vector<Place>> walk_buckets(Db& db, const session::Query& query, const Selection& selection,
                                        const std::optional<session::Position>& after);

}  // namespace holdfast::store
