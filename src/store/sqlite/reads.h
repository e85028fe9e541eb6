#pragma once

// session::Reader over one connection. Whoever makes it has begun a transaction on the connection, so
// that several statements see one moment, and keeps other threads away from it.

#include "session/store.h"
#include "store/sqlite/catalogue.h"
#include "store/sqlite/context.h"
#include "store/sqlite/db.h"
#include "store/sqlite/record_rows.h"

namespace holdfast::store {

class Reads final : public session::Reader {
 public:
  // The catalogue of committed sessions; none inside a transaction that writes.
  Reads(Db& db, const Context& context, Catalogue* catalogue = nullptr) : db_(db), context_(context), catalogue_(catalogue) {}

  Result<session::SessionRecord> get(std::string_view id) override;
  Result<session::Page> list(const session::Query& query) override;
  Result<std::vector<std::string>> ids_with_prefix(std::string_view prefix, std::size_t limit) override;
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

 private:
  Db& db_;
  const Context& context_;
  Catalogue* catalogue_;
};

}  // namespace holdfast::store
