#pragma once

// Lists with filters that no index answers both quickly and exactly: text, tags, projects, roots, dates, in any combination.
//
// The total of such a list is the number of sessions that fit, so somebody has to look at all of them. In the tables that
// takes 50 ms for 100,000 sessions; in the columns kept here (catalogue_columns.h, some 25 MB for them) about one. They are a
// copy in the memory of one process, brought up to the moment each list looks at by what has a higher sequence number.
//
// Making it costs as much as a few slow lists. A process that lists once never makes one, one that lists often soon does:
// when what its lists have looked at in the tables exceeds what reading everything would have.
//
// One per open store, used by any thread. Lists that need it wait for each other, a millisecond each.

#include "store/sqlite/lists/catalogue_rows.h"
#include "store/tables/order.h"

#include <mutex>

namespace holdfast::store {

// How many sessions a list could have looked at in the tables in the time it takes to read one into the catalogue.
inline constexpr std::int64_t kCatalogueWorth = 3;

// A store with more sessions than this gets none: its memory (250 bytes each) would be worth more than the time.
inline constexpr std::int64_t kMaxCatalogued = 1'000'000;

class Catalogue {
 public:
  // Whether the query is one of those. Others are answered from the buckets alone, in time that does not grow.
  static bool serves(const session::Query& query);

  // nullopt: ask the tables, and say what it cost.
  // The connection should not have read yet in its transaction. If it has, others may have brought the catalogue to a later
  // moment than it sees, and then it is of no use.
  Result<std::optional<Found>> find(Db& db, const session::Query& query, const std::optional<session::Position>& after);

  // A list that find() did not answer has looked at so many sessions.
  void charge(std::int64_t sessions);

 private:
  Result<bool> bring_to_now(Db& db, std::int64_t sessions);
  Result<bool> make(Db& db, const CatalogueStamp& now, std::int64_t sessions);

  std::mutex mutex_;
  std::int64_t charged_ = 0;
  std::optional<CatalogueColumns> columns_;
  CatalogueStamp stamp_;
};

}  // namespace holdfast::store
