#pragma once

// Reads what a Catalogue holds from the tables: everything, or what has changed since.

#include "store/sqlite/db.h"
#include "store/sqlite/lists/catalogue_columns.h"

#include <compare>

namespace holdfast::store {

// Which moment of the store somebody looks at. Two that are equal show the same sessions to lists.
struct CatalogueStamp {
  std::int64_t sequence = 0;  // the last one given out; entries, changes of records and purges take one
  std::int64_t recounts = 0;  // changes that took none (note_recount)

  friend bool operator==(const CatalogueStamp&, const CatalogueStamp&) = default;
};

Result<CatalogueStamp> read_stamp(Db& db);

// Inside a transaction that moves due_at or buckets without a sequence number: it concerns many sessions at once, and
// nobody who listens to changes wants to hear of it. Catalogues are made anew.
Result<void> note_recount(Db& db);

Result<CatalogueColumns> read_columns(Db& db, std::int64_t sessions);

// False when reading everything is the better way.
Result<bool> update_columns(Db& db, std::int64_t since, CatalogueColumns& columns);

}  // namespace holdfast::store
