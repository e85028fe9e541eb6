#pragma once

// Reading over the tables of one moment, for who only reads (Base: session::Reader) and for a transaction.

#include "store/tables/rules.h"
#include "store/tables/tables.h"

namespace holdfast::store {

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

}  // namespace holdfast::store
