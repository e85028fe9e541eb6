#pragma once

// Everything a store holds, as it is stored, moved to another one.
//
// Copying through session::Store would make new salts, new hashes and new times. Here records, entries, lineage, values and
// tombstones go over with all that belongs to them, so that verify says the same of both and cursors and tokens stay valid (the
// secret moves, too). Leases do not move: they belong to processes.
//
// A copy can be broken off and taken up again: it goes over in parcels, each in one transaction of the target and in an order in
// which the last that has arrived says where the next begins. A target that is being filled is marked with the state of its
// source, and no store is opened there until it is finished. Nobody else should write to either meanwhile.

#include "store/open.h"
#include "store/tables/session_row.h"
#include "store/tables/sql.h"
#include "store/tables/tables.h"

namespace holdfast::store {

// One of the two stores, on a connection of its own.
class CopyEnd {
 public:
  virtual ~CopyEnd() = default;
  virtual Sql& sql() = 0;
  virtual Tables& tables() = 0;

  virtual Result<void> begin() = 0;
  virtual Result<void> end(Result<void> done) = 0;  // commits, or rolls back what was not done

  // The row is whole (texts and tallies).
  virtual Result<void> put_session(SessionRow row) = 0;
  // Of the columns kEntryColumns with the id of the session in place of its key.
  virtual Result<void> put_entry(const SqlValues& values, const session::Entry& entry) = 0;
  // What is kept beside what has arrived, once all has.
  virtual Result<void> settle() = 0;
};

// Word of `meta` while a copy fills the store.
inline constexpr std::string_view kImportMark = "import";

Result<CopyTotals> copy_everything(CopyEnd& from, CopyEnd& to, const std::function<void(const CopyProgress&)>& progress);

// Of a store that is being filled: nobody may use it yet.
Error half_copied(const std::string& where);

}  // namespace holdfast::store
