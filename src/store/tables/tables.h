#pragma once

// What a database must be able to do so that a store can be kept in it. The rules of the store (transaction.h,
// verify.h) are written once over this; a backend says how its tables are asked and changed.
//
// Tables are those of one transaction on one connection: made for it, used by its thread alone, gone with it.

#include "base/run/clock.h"
#include "session/leases.h"
#include "session/store.h"
#include "store/tables/session_row.h"

#include <functional>

namespace holdfast::store {

// What the parts of one open store agree on, whichever database it is in. Set before the store is used, constant afterwards.
struct Rules {
  std::shared_ptr<const Clock> clock;
  std::function<session::LeaseTime()> lease_now;
  std::function<std::optional<Millis>(const session::SessionRecord&)> due;  // empty: nothing ever is
};

class Tables {
 public:
  virtual ~Tables() = default;

  virtual Result<std::optional<SessionRow>> find_row(std::string_view id) = 0;
  // Adds texts and tallies to row.record.
  virtual Result<void> load_rest(SessionRow& row) = 0;
  // Both at once, where that is cheaper.
  virtual Result<std::optional<SessionRow>> find_whole_row(std::string_view id) {
    HF_TRY(auto row, find_row(id));
    if (row) HF_CHECK(load_rest(*row));
    return row;
  }
  // The next ones in the order of their ids.
  virtual Result<std::vector<SessionRow>> rows_after(std::string_view id, std::size_t limit) = 0;
  virtual Result<std::vector<std::string>> ids_with_prefix(const session::IdQuery& query) = 0;
  virtual Result<session::Page> list(const session::Query& query) = 0;
  virtual Result<std::optional<session::Tombstone>> find_tombstone(std::string_view id) = 0;

  virtual Result<session::EntryPage> read_entries(const SessionRow& row, const session::EntryQuery& query) = 0;
  virtual Result<std::optional<session::Entry>> find_entry(const SessionRow& row, std::int64_t seq) = 0;
  // Nothing for a number of 0, and for an empty key.
  virtual Result<std::optional<session::Entry>> find_numbered(const SessionRow& row, std::string_view lane,
                                                              std::int64_t number) = 0;
  virtual Result<std::optional<session::Entry>> find_by_key(const SessionRow& row, std::string_view key) = 0;
  // All of them in order, with the hash each says it follows.
  using OnEntry = std::function<void(const session::Entry& entry, const Digest& previous)>;
  virtual Result<void> each_entry(const SessionRow& row, const OnEntry& on_entry) = 0;

  // Oldest first, at most kMaxLineageEvents.
  virtual Result<std::vector<session::LineageEvent>> lineage_of(std::string_view session) = 0;
  virtual Result<std::optional<session::KeyedValue>> find_value(std::string_view space, std::string_view key, Millis now) = 0;
  virtual Result<std::vector<session::KeyedValue>> list_values(const session::ValueQuery& query, Millis now) = 0;
  virtual Result<std::optional<session::Lease>> find_lease(std::string_view name) = 0;
};

class WritableTables : public Tables {
 public:
  // The number of what is written next, in the whole store. A backend that gives numbers out at the commit answers 0 and puts
  // them in later.
  virtual std::int64_t next_sequence() = 0;

  // Whether there is or was such a session.
  virtual Result<bool> is_taken(std::string_view id) = 0;
  // A new row with its texts, roots and tags; sets row.key.
  virtual Result<void> insert_row(SessionRow& row) = 0;
  // Everything a change of the record may touch. `before` is the record as it was.
  virtual Result<void> update_row(SessionRow& row, const session::SessionRecord& before) = 0;
  // What an append changes: clocks, rev, due_at, entries and head.
  virtual Result<void> update_head(SessionRow& row) = 0;
  // The record with all that belongs to it, entries included; the tombstone takes its place.
  virtual Result<void> erase_row(const SessionRow& row, const session::Tombstone& tombstone, std::int64_t changed) = 0;

  // Appends the next entry of `row`, counts it, and moves row.entries and row.head; the caller writes the row.
  virtual Result<session::Entry> insert_entry(SessionRow& row, session::NewEntry entry) = 0;
  // Replaces text and data, keeps the mac, destroys the salt. not_found without such an entry.
  virtual Result<void> redact_entry(const SessionRow& row, std::int64_t seq, std::string_view text, std::string_view data) = 0;

  virtual Result<session::LineageEvent> insert_lineage(session::LineageEvent event) = 0;
  // 0: there is none, or it has expired.
  virtual Result<std::int64_t> value_rev(std::string_view space, std::string_view key, Millis now) = 0;
  // rev is set by the caller.
  virtual Result<void> write_value(const session::KeyedValue& value) = 0;
  virtual Result<void> erase_value(std::string_view space, std::string_view key) = 0;
  virtual Result<std::int64_t> purge_values(Millis now, std::size_t limit) = 0;
  virtual Result<void> write_lease(const session::Lease& lease) = 0;
};

}  // namespace holdfast::store
