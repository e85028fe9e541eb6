#pragma once

// WritableTables over one connection: the tables of a write.
//
// Everything that is read is locked first (locks.h), in the same round trip. What is written waits in line until the commit, or
// until something is read that it may have changed: so an append costs two round trips, one to look (ReadAhead makes one of
// several) and one to write and commit. Records and values that were read or written are remembered for the time of the
// transaction; they cannot change, for they are locked.

#include "store/postgres/locks.h"
#include "store/postgres/pool.h"
#include "store/postgres/rows/read_tables.h"
#include "store/tables/row_statements.h"

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace holdfast::store::postgres {

// A session by its id, or a keyed value.
struct Look {
  std::string space;  // empty: a session
  std::string name;

  bool is_session() const { return space.empty(); }
  auto operator<=>(const Look&) const = default;
};

// What a write is going to look at, guessed from what the last one that began with the same look has looked at: the thoughts of
// one connection read the row of the connection, then its session, then what it has seen there, and each would be a round trip.
//
// Without it a thought is four round trips instead of two (docs/decisions/0023-what-the-stores-keep.md).
//
// A guess costs a few small reads and locks when it is wrong, and never an answer. Any thread.
class ReadAhead {
 public:
  // What follows this look, most likely.
  std::vector<Look> after(const Look& first) const;
  // A write has looked at these, in this order.
  void learn(const std::vector<Look>& looks);

 private:
  mutable std::mutex mutex_;
  std::map<Look, std::vector<Look>> followers_;
};

// Keys grow with time, so that what is new stands together in the indexes. Those of a process are all different; two that are
// made in the same millisecond by two nodes are the same once in four million times; then the second transaction runs again.
std::int64_t make_session_key();
// What gives out a number of the store-wide sequence, in an SQL statement (row_statements.h).
inline constexpr std::string_view kNextNumber = "nextval('store_sequence')";

class WriteTables final : public WritableTables {
 public:
  WriteTables(Connection& connection, const Context& context, const ReadAhead& ahead, LockPlan& plan)
      : connection_(connection),
        channel_(context.channel),
        reads_(connection, context.secret),
        ahead_(ahead),
        locks_(connection, context.store_id, plan) {
    locks_.begin();
  }

  bool restart() const { return locks_.restart(); }
  bool has_written() const;  // or is going to
  // Puts everything that still waits on the connection, for the commit to be sent behind.
  Result<void> queue_writes();
  bool tells_others() const { return numbered_; }  // whether there are events
  const std::vector<Look>& looks() const { return looks_; }

  Result<std::optional<SessionRow>> find_row(std::string_view id) override;
  Result<void> load_rest(SessionRow& row) override;
  Result<std::optional<SessionRow>> find_whole_row(std::string_view id) override;
  Result<std::vector<std::string>> ids_with_prefix(const session::IdQuery& query) override;
  Result<session::Page> list(const session::Query& query) override;
  Result<std::optional<session::Tombstone>> find_tombstone(std::string_view id) override;
  Result<session::EntryPage> read_entries(const SessionRow& row, const session::EntryQuery& query) override;
  Result<std::optional<session::Entry>> find_entry(const SessionRow& row, std::int64_t seq) override;
  Result<std::optional<session::Entry>> find_numbered(const SessionRow& row, std::string_view lane, std::int64_t number) override;
  Result<std::optional<session::Entry>> find_by_key(const SessionRow& row, std::string_view key) override;
  Result<void> each_entry(const SessionRow& row, const OnEntry& on_entry) override;
  Result<std::vector<session::LineageEvent>> lineage_of(std::string_view session) override;
  Result<std::optional<session::KeyedValue>> find_value(std::string_view space, std::string_view key, Millis now) override;
  Result<std::vector<session::KeyedValue>> list_values(const session::ValueQuery& query, Millis now) override;
  Result<std::optional<session::Lease>> find_lease(std::string_view name) override;

  std::int64_t next_sequence() override { return 0; }  // given out by the server
  Result<std::vector<SessionRow>> rows_after(std::string_view id, std::size_t limit) override;
  Result<bool> is_taken(std::string_view id) override;
  Result<void> insert_row(SessionRow& row) override;
  Result<void> update_row(SessionRow& row, const session::SessionRecord& before) override;
  Result<void> update_head(SessionRow& row) override;
  Result<void> erase_row(const SessionRow& row, const session::Tombstone& tombstone, std::int64_t changed) override;
  Result<session::Entry> insert_entry(SessionRow& row, session::NewEntry entry) override;
  Result<void> redact_entry(const SessionRow& row, std::int64_t seq, std::string_view text, std::string_view data) override;
  Result<session::LineageEvent> insert_lineage(session::LineageEvent event) override;
  Result<std::int64_t> value_rev(std::string_view space, std::string_view key, Millis now) override;
  Result<void> write_value(const session::KeyedValue& value) override;
  Result<void> erase_value(std::string_view space, std::string_view key) override;
  Result<std::int64_t> purge_values(Millis now, std::size_t limit) override;
  Result<void> write_lease(const session::Lease& lease) override;

 private:
  // A record as this transaction sees it.
  struct Known {
    std::optional<SessionRow> row;  // nullopt: there is none
    bool whole = false;             // the record has texts and tallies
    bool head_moved = false;        // to be written
    bool row_waits = false;         // a statement that writes the row is among those that wait
    std::map<std::pair<std::string, std::string>, session::Tally> counted;  // appended and not written yet, by lane and type
    std::set<std::pair<std::string, std::int64_t>> numbers;                 // of entries that wait, with their lanes
    std::set<std::string, std::less<>> keys;                                // of entries that wait
    std::set<std::string, std::less<>> absent_keys;                         // that no entry had when it was looked for

    bool entries_wait() const { return !counted.empty(); }
  };

  Known& known(std::string_view id) { return known_.find(id)->second; }
  void remember(const SessionRow& row);
  // In front of everything that reads a session or a value.
  Result<void> look(Look what);
  Result<void> read_all(const std::vector<Look>& looks);
  void expect_locks(const Look& what);
  void lock_roots(const session::SessionRecord& record, LockMode mode);
  void lock_value(std::string_view space, std::string_view key);
  using ValueName = std::pair<std::string, std::string>;  // space, key
  Result<void> know_value(const ValueName& name);
  Result<void> write_texts(const SessionRow& row);
  Result<void> queue_heads(bool of_waiting_rows);

  // Statements that wait for the commit.
  struct Line final : SqlWriter {
    std::vector<Statement> statements;
    Result<void> change(std::string_view sql, const SqlValues& values) override {
      statements.push_back({std::string(sql), {values.begin(), values.end()}});
      return {};
    }
  };

  Connection& connection_;
  std::string_view channel_;  // of notifications
  ReadTables reads_;
  const ReadAhead& ahead_;
  Locks locks_;
  std::map<std::string, Known, std::less<>> known_;
  Line waiting_;             // those that take a number of the store-wide sequence, and what must come behind them
  std::vector<Look> looks_;  // each once, in order
  std::map<ValueName, std::optional<session::KeyedValue>> values_;  // as this transaction sees them, expired or not
  bool numbered_ = false;                                           // something took a number
  bool wrote_ = false;                                              // something is on the connection
};

}  // namespace holdfast::store::postgres
