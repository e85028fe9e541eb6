#pragma once

// session::Reader and session::Transaction over the tables of one moment: the rules of the work of one read() or write() call.
// Whoever makes them has begun a transaction (or a savepoint) on the connection, and ends it.

#include "store/tables/tables.h"

#include <map>

namespace holdfast::store {

// For who only reads (Base: session::Reader) and for a transaction.
template <class Base>
class Reads : public Base {
 public:
  Reads(Tables& tables, const Rules& rules) : tables_(tables), rules_(rules) {}

  Result<session::SessionRecord> get(std::string_view id) override;
  Result<session::Page> list(const session::Query& query) override;
  Result<std::vector<std::string>> ids_with_prefix(const session::IdQuery& query) override;
  Result<std::optional<session::Tombstone>> tombstone(std::string_view id) override;
  Result<session::EntryPage> entries(const session::EntryQuery& query) override;
  Result<std::optional<session::Entry>> entry(std::string_view session, std::int64_t seq) override;
  Result<std::optional<session::Entry>> entry_at(std::string_view session, std::string_view lane, std::int64_t number) override;
  Result<std::optional<session::Entry>> entry_with_key(std::string_view session, std::string_view key) override;
  Result<std::vector<session::LineageEvent>> lineage_of(std::string_view session) override;
  Result<std::vector<session::LineageEvent>> lineage_tree(std::string_view session) override;
  Result<std::optional<session::KeyedValue>> value(std::string_view space, std::string_view key) override;
  Result<std::vector<session::KeyedValue>> values(const session::ValueQuery& query) override;
  Result<std::optional<session::Lease>> lease(std::string_view name) override;

  // The row, or not_found ("gone" when it was purged).
  Result<SessionRow> row(std::string_view id);
  Result<SessionRow> whole_row(std::string_view id);  // with texts and tallies

 private:
  Result<SessionRow> found(Result<std::optional<SessionRow>> row, std::string_view id);

  Tables& tables_;
  const Rules& rules_;
};

class TableTransaction final : public Reads<session::Transaction> {
 public:
  TableTransaction(WritableTables& tables, const Rules& rules)
      : Reads(tables, rules), tables_(tables), rules_(rules), now_(rules.clock->now()) {}

  Millis now() const override { return now_; }

  Result<session::SessionRecord> create(session::SessionRecord record) override;
  Result<session::SessionRecord> update(session::SessionRecord record, session::Touch touch) override;
  Result<void> note_access(std::string_view id) override;
  Result<std::string> refresh_due(std::string_view after_id, std::size_t limit) override;
  Result<session::Appended> append(std::string_view session, session::NewEntry entry) override;
  Result<void> redact(std::string_view session, std::int64_t seq, std::string text, std::string data) override;
  Result<void> purge(std::string_view session, std::string_view reason) override;
  Result<session::LineageEvent> add_lineage(session::LineageEvent event) override;
  Result<session::KeyedValue> put(std::string_view space, std::string_view key, const Json& value, session::Expect expect,
                                  std::optional<Millis> expires_at) override;
  Result<bool> erase(std::string_view space, std::string_view key, session::Expect expect) override;
  Result<std::int64_t> purge_expired(std::size_t limit) override;
  Result<session::Lease> acquire_lease(std::string_view name, const session::LeaseOwner& owner, Millis ttl) override;
  Result<session::Lease> renew_lease(std::string_view name, const session::LeaseOwner& owner, std::int64_t epoch) override;
  Result<void> require_lease(std::string_view name, const session::LeaseOwner& owner, std::int64_t epoch) override;
  Result<void> release_lease(std::string_view name, const session::LeaseOwner& owner, std::int64_t epoch) override;

  void scrub() override { scrub_ = true; }
  void wake() override { wake_ = true; }

  bool wants_scrub() const { return scrub_; }  // old bytes must not remain in the files
  bool wants_wake() const { return wake_; }
  std::size_t appended_bytes() const { return appended_bytes_; }

 private:
  static Result<void> refuse_damage(const SessionRow& row);
  Result<SessionRow> writable_row(std::string_view id);
  Result<SessionRow> writable_whole_row(std::string_view id);
  void touch(SessionRow& row, session::Touch touch);
  std::optional<Millis> due_of(const session::SessionRecord& record) const;
  Result<std::int64_t> check_expectation(std::string_view space, std::string_view key, session::Expect expect);
  Result<session::Lease> held_lease(std::string_view name, const session::LeaseOwner& owner, std::int64_t epoch);

  WritableTables& tables_;
  const Rules& rules_;
  Millis now_;
  // Sessions this transaction has changed, with the rev they had before: rev grows once per commit.
  std::map<std::int64_t, std::int64_t> rev_before_;
  bool scrub_ = false, wake_ = false;
  std::size_t appended_bytes_ = 0;
};

}  // namespace holdfast::store
