#include "store/postgres/transfer.h"

#include "store/postgres/address.h"
#include "store/postgres/rows/read_tables.h"
#include "store/postgres/rows/row_statements.h"
#include "store/postgres/schema.h"
#include "store/postgres/search/indexed_words.h"
#include "store/tables/parcel_place.h"
#include "store/tables/side_row.h"

#include <fmt/format.h>

namespace holdfast::store::postgres {

using session::Parcel;
using What = ParcelPlace::What;

namespace {

class PostgresTransfer final : public session::StoreTransfer {
 public:
  explicit PostgresTransfer(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}

  Result<Totals> totals() override {
    HF_TRY(const Answer rows,
           connection_->ask(
               "SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM entries), (SELECT count(*) FROM tombstones), "
               "(SELECT count(*) FROM lineage), (SELECT count(*) FROM keyed)"));
    const Row row = rows[0];
    return Totals{row.integer(0), row.integer(1), row.integer(2), row.integer(3), row.integer(4)};
  }
  Result<std::string> fingerprint() override {
    HF_TRY(
        const Answer rows,
        connection_->ask("SELECT (SELECT value FROM meta WHERE name = 'store_id'), greatest(0::int8, (SELECT max(sequence) FROM "
                         "entries), (SELECT max(changed) FROM sessions), (SELECT max(changed) FROM tombstones)), "
                         "(SELECT coalesce(sum(rev + updated_at % 1000003), 0)::int8 FROM keyed)"));
    HF_TRY(const Totals all, totals());
    const Digest id = sha256(rows[0].text(0));
    return fmt::format("{} {} {} {}", to_hex(std::span(id).first(16)), rows[0].integer(1), rows[0].integer(2), all.items());
  }
  Result<std::string> secret() override {
    HF_TRY(const Answer rows, connection_->ask("SELECT value FROM meta WHERE name = 'secret'"));
    if (rows.empty()) return fail(ErrorKind::corrupt, "the store has lost its secret");
    return std::string(rows[0].text(0));
  }

  Result<Parcel> read_parcel(std::string_view from) override;
  Result<std::string> begin_import(std::string_view fingerprint) override;
  Result<void> write_parcel(const Parcel& parcel) override;
  Result<void> finish_import(std::string_view secret) override;

 private:
  template <class Function>
  Result<void> in_transaction(Function&& function);
  Result<void> read_sessions(const ParcelPlace& place, Parcel& parcel);
  Result<void> read_entries(const ParcelPlace& place, Parcel& parcel);
  Result<void> read_side(const ParcelPlace& place, Parcel& parcel);
  void queue_sessions(const Parcel& parcel);
  void queue_entries(const Parcel& parcel);
  void queue_side(const Parcel& parcel);

  std::unique_ptr<Connection> connection_;
};

template <class Function>
Result<void> PostgresTransfer::in_transaction(Function&& function) {
  connection_->begin();
  Result<void> done = function();
  if (done) {
    if (auto committed = connection_->ask("COMMIT"); !committed) done = fail(std::move(committed).error());
  }
  if (!done && !connection_->lost()) static_cast<void>(connection_->ask("ROLLBACK"));
  return done;
}

Result<Parcel> PostgresTransfer::read_parcel(std::string_view from) {
  HF_TRY(const ParcelPlace place, parse_place(from));
  Parcel parcel;
  switch (place.what) {
    case What::sessions:
      HF_CHECK(read_sessions(place, parcel));
      break;
    case What::entries:
      HF_CHECK(read_entries(place, parcel));
      break;
    default:
      HF_CHECK(read_side(place, parcel));
  }
  if (parcel.next.empty()) parcel.next = next_kind(place);
  return parcel;
}

Result<void> PostgresTransfer::read_sessions(const ParcelPlace& place, Parcel& parcel) {
  static const std::string sql =
      fmt::format("SELECT {}, changed FROM sessions WHERE id > ? ORDER BY id LIMIT ?", session_columns());
  HF_TRY(const Answer rows, connection_->ask(sql, {place.name, session::kParcelItems}));
  ReadTables tables(*connection_, {});
  std::size_t bytes = 0;
  for (int i = 0; i < rows.size() && bytes <= session::kParcelBytes; ++i) {
    SessionRow row = decode_session(rows[i]);
    HF_CHECK(tables.load_rest(row));
    HF_CHECK(session::refuse_damaged(row.record));
    bytes += row.record.description.size() + to_json(row.record.data).size();
    parcel.sessions.push_back({std::move(row.record), rows[i].integer(33), row.entries, row.head});
  }
  if (!parcel.sessions.empty()) parcel.next = to_text({What::sessions, 0, {}, parcel.sessions.back().record.id});
  return {};
}

Result<void> PostgresTransfer::read_entries(const ParcelPlace& place, Parcel& parcel) {
  static const std::string sql = fmt::format(
      "SELECT {0}, id FROM (SELECT e.*, s.id, sum(length(e.text) + length(e.data)) OVER (ORDER BY e.sequence) - length(e.text) - "
      "length(e.data) AS before FROM entries AS e JOIN sessions AS s ON s.key = e.session WHERE e.sequence > ? ORDER BY "
      "e.sequence "
      "LIMIT ?) AS page WHERE before < {1} ORDER BY sequence",
      kEntryColumns, session::kParcelBytes);
  HF_TRY(const Answer rows, connection_->ask(sql, {place.number, session::kParcelItems}));
  for (int i = 0; i < rows.size(); ++i) {
    parcel.entries.push_back({read_entry(rows[i], rows[i].text(15)), previous_hash(rows[i]), std::string(rows[i].text(11)),
                              std::string(rows[i].text(12))});
  }
  if (!parcel.entries.empty()) parcel.next = to_text({What::entries, parcel.entries.back().entry.sequence, {}, {}});
  return {};
}

Result<void> PostgresTransfer::read_side(const ParcelPlace& place, Parcel& parcel) {
  if (place.what == What::tombstones) {
    HF_TRY(const Answer rows,
           connection_->ask("SELECT kind, principal, deleted_at, purged_at, reason, changed, id FROM tombstones WHERE "
                            "id > ? ORDER BY id LIMIT ?",
                            {place.name, session::kParcelItems}));
    for (int i = 0; i < rows.size(); ++i) {
      parcel.tombstones.push_back({decode_tombstone(rows[i], rows[i].text(6)), rows[i].integer(5)});
    }
    if (!parcel.tombstones.empty()) parcel.next = to_text({What::tombstones, 0, {}, parcel.tombstones.back().tombstone.id});
  } else if (place.what == What::lineage) {
    HF_TRY(const Answer rows,
           connection_->ask("SELECT number, child, parent, how, time, details FROM lineage WHERE number > ? ORDER BY "
                            "number LIMIT ?",
                            {place.number, session::kParcelItems}));
    for (int i = 0; i < rows.size(); ++i) parcel.lineage.push_back(decode_lineage(rows[i]));
    if (!parcel.lineage.empty()) parcel.next = to_text({What::lineage, parcel.lineage.back().number, {}, {}});
  } else {
    HF_TRY(const Answer rows,
           connection_->ask("SELECT key, value, rev, updated_at, expires_at, space FROM keyed WHERE (space, key) > (?, ?) "
                            "ORDER BY space, key LIMIT ?",
                            {place.space, place.name, session::kParcelItems}));
    for (int i = 0; i < rows.size(); ++i) {
      HF_TRY(auto value, decode_value(rows[i], rows[i].text(5)));
      parcel.values.push_back(std::move(value));
    }
    if (!parcel.values.empty()) parcel.next = to_text({What::values, 0, parcel.values.back().space, parcel.values.back().key});
  }
  return {};
}

Result<std::string> PostgresTransfer::begin_import(std::string_view fingerprint) {
  std::string place;
  const Result<void> begun = in_transaction([&]() -> Result<void> {
    HF_TRY(const Answer mark, connection_->ask("SELECT value FROM meta WHERE name = 'import'"));
    if (!mark.empty()) {
      HF_TRY(place, session::place_of_import(mark[0].text(0), fingerprint));
      return {};
    }
    HF_TRY(const Totals all, totals());
    HF_CHECK(session::refuse_filled(all));
    HF_CHECK(connection_->ask("INSERT INTO meta VALUES('import', ?)", {session::import_mark(fingerprint, "")}));
    return {};
  });
  if (!begun) return fail(begun.error());
  return place;
}

Result<void> PostgresTransfer::write_parcel(const Parcel& parcel) {
  return in_transaction([&]() -> Result<void> {
    HF_TRY(const Answer mark, connection_->ask("SELECT value FROM meta WHERE name = 'import' FOR UPDATE"));
    if (mark.empty()) return fail(ErrorKind::conflict, "the target is no longer being filled");
    queue_sessions(parcel);
    queue_entries(parcel);
    queue_side(parcel);
    connection_->queue("UPDATE meta SET value = ? WHERE name = 'import'",
                       {session::import_mark(session::fingerprint_of_import(mark[0].text(0)), parcel.next)});
    HF_CHECK(connection_->flush());
    return {};
  });
}

void PostgresTransfer::queue_sessions(const Parcel& parcel) {
  for (const session::StoredSession& each : parcel.sessions) {
    SessionRow row;
    row.key = make_session_key();
    row.record = each.record;
    row.entries = each.entries;
    row.head = each.head;
    connection_->queue(insert_session(row));
    connection_->queue("UPDATE sessions SET changed = ? WHERE key = ?", {each.changed, row.key});
    connection_->queue(write_session_texts(row));
    for (const std::string& root : roots_of(row.record)) connection_->queue("INSERT INTO roots VALUES(?, ?)", {root, row.key});
    for (const std::string& tag : row.record.tags) connection_->queue("INSERT INTO tags VALUES(?, ?)", {tag, row.key});
    for (const session::Tally& tally : row.record.tallies) connection_->queue(add_to_tally(row.key, tally));
  }
}

void PostgresTransfer::queue_entries(const Parcel& parcel) {
  for (const session::StoredEntry& each : parcel.entries) {
    const session::Entry& entry = each.entry;
    const auto optional = [](const std::string& bytes) { return bytes.empty() ? Param::null_bytes() : Param(bytes); };
    connection_->queue(
        "INSERT INTO entries VALUES(?, (SELECT key FROM sessions WHERE id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "array_to_tsvector(?))",
        {entry.sequence, entry.session, entry.seq, entry.type, entry.lane, entry.number, entry.time, entry.author, entry.run,
         optional(entry.idempotency_key), bytes_of(each.previous), bytes_of(entry.hash), optional(each.salt), optional(each.mac),
         entry.data, entry.text, entry.redacted ? no_words() : indexed_words(entry.text)});
  }
}

void PostgresTransfer::queue_side(const Parcel& parcel) {
  for (const auto& [stone, changed] : parcel.tombstones) {
    connection_->queue("INSERT INTO tombstones VALUES(?, ?, ?, ?, ?, ?, ?)",
                       {stone.id, stone.kind, stone.principal, stone.deleted_at, stone.purged_at, stone.reason, changed});
  }
  for (const session::LineageEvent& each : parcel.lineage) {
    connection_->queue("INSERT INTO lineage VALUES(?, ?, ?, ?, ?, ?)",
                       {each.number, each.child, each.parent, each.how, each.when, to_json(each.details)});
  }
  for (const session::KeyedValue& each : parcel.values) {
    connection_->queue("INSERT INTO keyed VALUES(?, ?, ?, ?, ?, ?)",
                       {each.space, each.key, to_json(each.value), each.rev, each.updated_at, each.expires_at});
  }
}

Result<void> PostgresTransfer::finish_import(std::string_view secret) {
  // One row for each session that came (schema.cpp) becomes one for each heading.
  HF_CHECK(
      connection_->ask("WITH gone AS (DELETE FROM session_counts RETURNING *) INSERT INTO session_counts SELECT principal, kind, "
                       "visibility, status, "
                       "pinned, aspect, sum(sessions)::int8 FROM gone GROUP BY 1, 2, 3, 4, 5, 6"));
  // A database that does not know how much it holds looks for it in the wrong way, until its own housekeeping comes by. Failing
  // is no failure of the copy.
  for (const std::string_view table :
       {"sessions", "session_texts", "session_counts", "roots", "tags", "entries", "tallies", "keyed"})
    static_cast<void>(connection_->ask(fmt::format("VACUUM ANALYZE {}", table)));
  return in_transaction([&]() -> Result<void> {
    connection_->queue("UPDATE meta SET value = ? WHERE name = 'secret'", {secret});
    connection_->queue("DELETE FROM meta WHERE name = 'import'");
    // New numbers follow those that came.
    connection_->queue(
        "SELECT setval('store_sequence', greatest(1::int8, (SELECT max(sequence) FROM entries), (SELECT max(changed) FROM "
        "sessions), (SELECT max(changed) FROM tombstones)))");
    connection_->queue(
        "SELECT setval(pg_get_serial_sequence('lineage', 'number'), greatest(1::int8, (SELECT max(number) FROM lineage)))");
    HF_CHECK(connection_->flush());
    return {};
  });
}

}  // namespace

Result<std::unique_ptr<session::StoreTransfer>> open_postgres_transfer(std::string_view url, bool create) {
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
  return std::make_unique<PostgresTransfer>(std::move(connection));
}

}  // namespace holdfast::store::postgres
