#include "store/postgres/rows/write_tables.h"
#include "store/postgres/schema.h"
#include "store/postgres/search/indexed_words.h"
#include "store/postgres/store.h"

#include <fmt/format.h>

namespace holdfast::store::postgres {

namespace {

class PostgresCopyEnd final : public CopyEnd {
 public:
  explicit PostgresCopyEnd(std::unique_ptr<Connection> connection)
      : connection_(std::move(connection)), tables_(*connection_, {}) {}

  Sql& sql() override { return *connection_; }
  Tables& tables() override { return tables_; }

  Result<void> begin() override {
    connection_->begin();
    return {};
  }
  Result<void> end(Result<void> done) override {
    if (done) {
      if (auto committed = connection_->ask("COMMIT"); !committed) done = fail(std::move(committed).error());
    }
    if (!done && !connection_->lost()) static_cast<void>(connection_->ask("ROLLBACK"));
    return done;
  }

  Result<void> put_session(SessionRow row) override {
    row.key = make_session_key();
    const std::int64_t changed = std::exchange(row.changed, 0);
    HF_CHECK(insert_session(*connection_, row, kNextNumber, false));
    connection_->queue("UPDATE sessions SET changed = ? WHERE key = ?", {changed, row.key});
    const Param words = indexed_words(searched_text(row.record.title, row.record.description, list_to_text(row.record.tags)));
    HF_CHECK(write_session_texts(*connection_, row, TextArray{*words.bytes}));
    HF_CHECK(write_session_lookups(*connection_, row, nullptr, {}));
    for (const session::Tally& tally : row.record.tallies) HF_CHECK(add_to_tally(*connection_, row.key, tally));
    return {};
  }
  Result<void> put_entry(const SqlValues& values, const session::Entry& entry) override {
    std::vector<Param> all(values.begin(), values.end());
    all.push_back(entry.redacted ? no_words() : indexed_words(entry.text));
    connection_->queue(
        "INSERT INTO entries VALUES(?, (SELECT key FROM sessions WHERE id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "array_to_tsvector(?))",
        std::move(all));
    return {};
  }

  Result<void> settle() override {
    // One row for each session that came (schema.cpp) becomes one for each heading.
    HF_CHECK(connection_->ask(
        "WITH gone AS (DELETE FROM session_counts RETURNING *) INSERT INTO session_counts SELECT principal, kind, visibility, "
        "status, pinned, aspect, sum(sessions)::int8 FROM gone GROUP BY 1, 2, 3, 4, 5, 6"));
    // A database that does not know how much it holds looks for it in the wrong way, until its own housekeeping comes by. Failing
    // is no failure of the copy.
    for (const std::string_view table :
         {"sessions", "session_texts", "session_counts", "roots", "tags", "entries", "tallies", "keyed"})
      static_cast<void>(connection_->ask(fmt::format("VACUUM ANALYZE {}", table)));
    // New numbers follow those that came.
    HF_CHECK(connection_->ask(
        "SELECT setval('store_sequence', greatest(1::int8, (SELECT max(sequence) FROM entries), (SELECT max(changed) FROM "
        "sessions), (SELECT max(changed) FROM tombstones)))"));
    HF_CHECK(connection_->ask(
        "SELECT setval(pg_get_serial_sequence('lineage', 'number'), greatest(1::int8, (SELECT max(number) FROM lineage)))"));
    return {};
  }

 private:
  std::unique_ptr<Connection> connection_;
  ReadTables tables_;
};

}  // namespace

Result<std::unique_ptr<CopyEnd>> open_postgres_copy(std::string_view url, bool create) {
  HF_TRY(const Address address, parse_address(url));
  SessionSettings settings{address.url, {}, {}};
  {
    HF_TRY(const auto connection, Connection::open(settings));
    HF_TRY(settings.schema, find_schema(*connection));
    HF_TRY(const int format, read_format(*connection, settings.schema));
    if (format > kFormat) return fail(ErrorKind::refused, fmt::format("{} was written by a newer holdfast", address.shown));
    if (format == 0 && !create) return fail(ErrorKind::not_found, fmt::format("there is no store in {}", address.shown));
    HF_CHECK(migrate(*connection, settings.schema));
  }
  HF_TRY(auto connection, Connection::open(settings));
  return std::make_unique<PostgresCopyEnd>(std::move(connection));
}

}  // namespace holdfast::store::postgres
