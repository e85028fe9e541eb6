#pragma once

// Shelves: sessions that agree in principal, kind, visibility, status, pinned and aspect stand together and are counted.
//
// With 10^5 sessions a list can neither count nor sort them for every page. Filters over these fields are decided on the few
// rows of `shelves`: the total is a sum, and a page is merged from one range of an index per shelf (bucket_walk.h), because the
// indexes for the orders begin with the shelf. An append moves none of this.
//
// Derived from the sessions and never trusted blindly: rows carry a checksum and are numbered without holes. When something is
// wrong, lists look at the sessions themselves (slowly, but all of them), verify says so, and the next opening for writing
// counts anew.

#include "session/query/cursor.h"
#include "session/query/query.h"
#include "store/sqlite/db.h"

namespace holdfast::store {

struct Shelf {
  std::int64_t number = 0;
  std::string principal;
  std::string kind;
  std::int64_t visibility = 0;
  std::string status;
  bool pinned = false;
  // Absent: the shelf for the many aspects that have none of their own, or one that is empty. An aspect is anybody's word, so it
  // does not outlive the last session that has it; the row is the next aspect's, because numbers have no holes.
  std::optional<std::string> aspect;
  std::int64_t sessions = 0;
};

// Aspects that have a shelf of their own, per combination of the other fields. Those of threads are few words; those of
// reasoning are anybody's, and a list visits every shelf.
inline constexpr std::size_t kMaxAspectShelves = 16;

std::int64_t sum_of(const std::vector<Shelf>& shelves);  // all their sessions

// The keys of the order (tables/order.h) that are the same for all sessions of the shelf; the others are 0.
session::Position shelf_position(const session::Query& query, const Shelf& shelf);

// All of them; nullopt when they cannot be trusted.
Result<std::optional<std::vector<Shelf>>> read_shelves(Db& db);

// As it is, with its checksum.
Result<void> write_shelf(Db& db, const Shelf& shelf);

// Counts the record on the shelf where it belongs, and no longer on `from` (0: it stood on none). Returns the number.
Result<std::int64_t> put_on_shelf(Db& db, const session::SessionRecord& record, std::int64_t from);
Result<void> take_from_shelf(Db& db, std::int64_t number);

// Everything anew from the sessions, with `roots`, which repeats the shelf. Inside a transaction.
Result<void> rebuild_shelves(Db& db);
// The same in a transaction of its own when they cannot be trusted. Cheap when they can.
Result<void> mend_shelves(Db& db);

// What is wrong with them, for verify; empty when nothing is. Looks at every session.
Result<std::vector<std::string>> check_shelves(Db& db);

}  // namespace holdfast::store
