#pragma once

// Buckets: sessions that agree in principal, kind, visibility, status, pinned and aspect are in one, and are counted. On disk the
// table and the column that names the bucket have an older name (docs/formats/store.md).
//
// With 10^5 sessions a list can neither count nor sort them for every page. Filters over these fields are decided on the few
// rows of one table: the total is a sum, and a page is merged from one range of an index per bucket (bucket_walk.h), because the
// indexes for the orders begin with the bucket. An append moves none of this.
//
// Derived from the sessions and never trusted blindly: rows carry a checksum and are numbered without holes. When something is
// wrong, lists look at the sessions themselves (slowly, but all of them), verify says so, and the next opening for writing
// counts anew.

#include "session/query/cursor.h"
#include "session/query/query.h"
#include "store/sqlite/db.h"

namespace holdfast::store {

struct Bucket {
  std::int64_t number = 0;
  std::string principal;
  std::string kind;
  std::int64_t visibility = 0;
  std::string status;
  bool pinned = false;
  // Absent: the bucket for the many aspects that have none of their own, or one that is empty. An aspect is anybody's word, so it
  // does not outlive the last session that has it; the row is the next aspect's, because numbers have no holes.
  std::optional<std::string> aspect;
  std::int64_t sessions = 0;
};

// Aspects that have a bucket of their own, per combination of the other fields. Those of threads are few words; those of
// reasoning are anybody's, and a list visits every bucket.
inline constexpr std::size_t kMaxAspectBuckets = 16;

std::int64_t sum_of(const std::vector<Bucket>& buckets);  // all their sessions

// The keys of the order (tables/order.h) that are the same for all sessions of the bucket; the others are 0.
session::Position bucket_position(const session::Query& query, const Bucket& bucket);

// All of them; nullopt when they cannot be trusted.
Result<std::optional<std::vector<Bucket>>> read_buckets(Db& db);

// As it is, with its checksum.
Result<void> write_bucket(Db& db, const Bucket& bucket);

// Counts the record in the bucket where it belongs, and no longer on `from` (0: it was in none). Returns the number.
Result<std::int64_t> put_in_bucket(Db& db, const session::SessionRecord& record, std::int64_t from);
Result<void> take_from_bucket(Db& db, std::int64_t number);

// Everything anew from the sessions, with `roots`, which repeats the bucket. Inside a transaction.
Result<void> rebuild_buckets(Db& db);
// The same in a transaction of its own when they cannot be trusted. Cheap when they can.
Result<void> mend_buckets(Db& db);

// What is wrong with them, for verify; empty when nothing is. Looks at every session.
Result<std::vector<std::string>> check_buckets(Db& db);

}  // namespace holdfast::store
