#include "store/sqlite/transfer.h"

#include "base/files/file.h"
#include "session/length_prefix.h"
#include "store/sqlite/lists/buckets.h"
#include "store/sqlite/rows/entry_rows.h"
#include "store/sqlite/rows/event_rows.h"
#include "store/sqlite/rows/side_rows.h"
#include "store/sqlite/schema.h"
#include "store/tables/parcel_place.h"
#include "store/tables/side_row.h"

#include <fmt/format.h>

#include <filesystem>

namespace holdfast::store {

using session::Parcel;
using What = ParcelPlace::What;

namespace {

class SqliteTransfer final : public session::StoreTransfer {
 public:
  explicit SqliteTransfer(std::unique_ptr<Db> db) : db_(std::move(db)) {}

  Result<Totals> totals() override {
    Totals totals;
    for (const auto& [table, count] : {std::pair("sessions", &totals.sessions), std::pair("entries", &totals.entries),
                                       std::pair("tombstones", &totals.tombstones), std::pair("lineage", &totals.lineage),
                                       std::pair("keyed", &totals.values)}) {
      HF_TRY(const auto number, db_->number(fmt::format("SELECT count(*) FROM {}", table)));
      *count = number.value_or(0);
    }
    return totals;
  }

  Result<std::string> fingerprint() override {
    HF_TRY(const std::string id, read_meta(*db_, "store_id"));
    HF_TRY(const std::int64_t last, read_last_sequence(*db_));
    HF_TRY(const auto values, db_->number("SELECT ifnull(sum(rev + updated_at % 1000003), 0) FROM keyed"));
    HF_TRY(const Totals all, totals());
    const Digest digest = sha256(id);
    return fmt::format("{} {} {} {}", to_hex(std::span(digest).first(16)), last, values.value_or(0), all.items());
  }

  Result<std::string> secret() override { return read_meta(*db_, "secret"); }

  Result<Parcel> read_parcel(std::string_view from) override;
  Result<std::string> begin_import(std::string_view fingerprint) override;
  Result<void> write_parcel(const Parcel& parcel) override;
  Result<void> finish_import(std::string_view secret) override;

 private:
  template <class Function>
  Result<void> in_transaction(Function&& function) {
    HF_CHECK(db_->run("BEGIN IMMEDIATE"));
    Result<void> done = function();
    if (done) done = db_->run("COMMIT");
    if (!done && db_->in_transaction()) static_cast<void>(db_->run("ROLLBACK"));
    return done;
  }

  Result<void> read_sessions(const ParcelPlace& place, Parcel& parcel);
  Result<void> read_entries(const ParcelPlace& place, Parcel& parcel);
  Result<void> read_side(const ParcelPlace& place, Parcel& parcel);
  Result<void> write_sessions(const Parcel& parcel);
  Result<void> write_entries(const Parcel& parcel);
  Result<void> write_side(const Parcel& parcel);

  std::unique_ptr<Db> db_;
};

Result<Parcel> SqliteTransfer::read_parcel(std::string_view from) {
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

Result<void> SqliteTransfer::read_sessions(const ParcelPlace& place, Parcel& parcel) {
  HF_TRY(auto rows, rows_after(*db_, place.name, session::kParcelItems));
  std::size_t bytes = 0;
  for (SessionRow& row : rows) {
    HF_CHECK(load_rest(*db_, row));
    HF_CHECK(session::refuse_damaged(row.record));
    bytes += row.record.description.size() + to_json(row.record.data).size();
    parcel.sessions.push_back({std::move(row.record), row.changed, row.entries, row.head});
    if (bytes > session::kParcelBytes) break;
  }
  if (!parcel.sessions.empty()) parcel.next = to_text({What::sessions, 0, {}, parcel.sessions.back().record.id});
  return {};
}

Result<void> SqliteTransfer::read_entries(const ParcelPlace& place, Parcel& parcel) {
  std::string columns;
  for (std::string_view rest = kEntryColumns; !rest.empty();) {
    const std::size_t end = std::min(rest.find(", "), rest.size());
    columns += fmt::format("e.{}, ", rest.substr(0, end));
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  HF_TRY(auto rows,
         db_->query(fmt::format("SELECT {}s.id FROM entries AS e JOIN sessions AS s ON s.key = e.session WHERE e.sequence > ? "
                                "ORDER BY e.sequence LIMIT ?",
                                columns),
                    place.number, session::kParcelItems));
  std::size_t bytes = 0;
  while (bytes <= session::kParcelBytes) {
    HF_TRY(const bool more, rows.next());
    if (!more) break;
    session::StoredEntry& stored = parcel.entries.emplace_back();
    stored.entry = read_entry(rows, rows.text(15));
    stored.previous = previous_hash(rows);
    stored.salt = rows.text(11);
    stored.mac = rows.text(12);
    bytes += stored.entry.text.size() + stored.entry.data.size();
  }
  if (!parcel.entries.empty()) parcel.next = to_text({What::entries, parcel.entries.back().entry.sequence, {}, {}});
  return {};
}

Result<void> SqliteTransfer::read_side(const ParcelPlace& place, Parcel& parcel) {
  const auto each = [](Result<Rows> rows, const auto& take) -> Result<void> {
    if (!rows) return fail(std::move(rows).error());
    while (true) {
      HF_TRY(const bool more, rows->next());
      if (!more) return {};
      HF_CHECK(take(*rows));
    }
  };
  if (place.what == What::tombstones) {
    HF_CHECK(each(
        db_->query(
            "SELECT kind, principal, deleted_at, purged_at, reason, changed, id FROM tombstones WHERE id > ? ORDER BY id LIMIT ?",
            place.name, session::kParcelItems),
        [&](const Rows& row) -> Result<void> {
          parcel.tombstones.push_back({decode_tombstone(row, row.text(6)), row.integer(5)});
          return {};
        }));
    if (!parcel.tombstones.empty()) parcel.next = to_text({What::tombstones, 0, {}, parcel.tombstones.back().tombstone.id});
  } else if (place.what == What::lineage) {
    HF_CHECK(
        each(db_->query("SELECT number, child, parent, how, time, details FROM lineage WHERE number > ? ORDER BY number LIMIT ?",
                        place.number, session::kParcelItems),
             [&](const Rows& row) -> Result<void> {
               parcel.lineage.push_back(decode_lineage(row));
               return {};
             }));
    if (!parcel.lineage.empty()) parcel.next = to_text({What::lineage, parcel.lineage.back().number, {}, {}});
  } else {
    HF_CHECK(each(
        db_->query("SELECT key, value, rev, updated_at, expires_at, space FROM keyed WHERE (space, key) > (?, ?) ORDER BY space, "
                   "key LIMIT ?",
                   place.space, place.name, session::kParcelItems),
        [&](const Rows& row) -> Result<void> {
          HF_TRY(auto value, decode_value(row, row.text(5)));
          parcel.values.push_back(std::move(value));
          return {};
        }));
    if (!parcel.values.empty()) parcel.next = to_text({What::values, 0, parcel.values.back().space, parcel.values.back().key});
  }
  return {};
}

Result<std::string> SqliteTransfer::begin_import(std::string_view fingerprint) {
  std::string place;
  const Result<void> begun = in_transaction([&]() -> Result<void> {
    HF_TRY(auto rows, db_->query("SELECT value FROM meta WHERE name = ?", kImportMark));
    HF_TRY(const bool found, rows.next());
    if (found) {
      HF_TRY(place, session::place_of_import(rows.text(0), fingerprint));
      return {};
    }
    HF_TRY(const Totals all, totals());
    HF_CHECK(session::refuse_filled(all));
    return db_->run("INSERT INTO meta VALUES(?, ?)", kImportMark, Blob{session::import_mark(fingerprint, "")});
  });
  if (!begun) return fail(begun.error());
  return place;
}

Result<void> SqliteTransfer::write_parcel(const Parcel& parcel) {
  return in_transaction([&]() -> Result<void> {
    HF_CHECK(write_sessions(parcel));
    HF_CHECK(write_entries(parcel));
    HF_CHECK(write_side(parcel));
    HF_TRY(const std::string mark, read_meta(*db_, kImportMark));
    return db_->run("UPDATE meta SET value = ? WHERE name = ?",
                    Blob{session::import_mark(session::fingerprint_of_import(mark), parcel.next)}, kImportMark);
  });
}

Result<void> SqliteTransfer::write_sessions(const Parcel& parcel) {
  for (const session::StoredSession& each : parcel.sessions) {
    SessionRow row;
    row.record = each.record;
    row.changed = each.changed;
    row.entries = each.entries;
    row.head = each.head;
    HF_CHECK(insert_row(*db_, row));
    for (const session::Tally& tally : each.record.tallies) {
      HF_CHECK(db_->run("INSERT INTO tallies VALUES(?, ?, ?, ?, ?, ?, ?)", row.key, tally.lane, tally.type, tally.count,
                        tally.highest_number, tally.last_seq, tally.last_time));
    }
  }
  return {};
}

Result<void> SqliteTransfer::write_entries(const Parcel& parcel) {
  for (const session::StoredEntry& each : parcel.entries) {
    const session::Entry& entry = each.entry;
    const auto key = entry.idempotency_key.empty() ? std::nullopt : std::optional<std::string_view>(entry.idempotency_key);
    const auto blob = [](const std::string& bytes) { return bytes.empty() ? std::nullopt : std::optional(Blob{bytes}); };
    HF_CHECK(db_->run(
        "INSERT INTO entries VALUES(?, (SELECT key FROM sessions WHERE id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        entry.sequence, entry.session, entry.seq, entry.type, entry.lane, entry.number, entry.time, entry.author, entry.run, key,
        Blob{bytes_of(each.previous)}, Blob{bytes_of(entry.hash)}, blob(each.salt), blob(each.mac), Blob{entry.data},
        Blob{entry.text}));
  }
  return {};
}

Result<void> SqliteTransfer::write_side(const Parcel& parcel) {
  for (const session::StoredTombstone& each : parcel.tombstones) HF_CHECK(insert_tombstone(*db_, each.tombstone, each.changed));
  for (const session::LineageEvent& each : parcel.lineage) {
    HF_CHECK(db_->run("INSERT INTO lineage VALUES(?, ?, ?, ?, ?, ?)", each.number, each.child, each.parent, each.how, each.when,
                      to_json(each.details)));
  }
  for (const session::KeyedValue& each : parcel.values) HF_CHECK(write_value(*db_, each));
  return {};
}

Result<void> SqliteTransfer::finish_import(std::string_view secret) {
  return in_transaction([&]() -> Result<void> {
    HF_CHECK(db_->run("UPDATE meta SET value = ? WHERE name = 'secret'", Blob{secret}));
    return db_->run("DELETE FROM meta WHERE name = ?", kImportMark);
  });
}

}  // namespace

Result<std::unique_ptr<session::StoreTransfer>> open_sqlite_transfer(const std::string& path, bool create) {
  std::error_code ignored;
  if (!create && !std::filesystem::exists(path, ignored))
    return fail(ErrorKind::not_found, fmt::format("there is no store {}", path));
  if (const std::string folder = std::filesystem::path(path).parent_path().string(); !folder.empty())
    HF_CHECK(make_private_folder(folder));
  HF_TRY(auto db, Db::open(path, Db::Mode::create));
  HF_TRY(const int version, read_schema_version(*db));
  if (version > kSchemaVersion) return fail(ErrorKind::refused, fmt::format("{} was written by a newer holdfast", path));
  HF_CHECK(db->script("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON"));
  HF_CHECK(migrate(*db));
  HF_CHECK(mend_buckets(*db));
  return std::make_unique<SqliteTransfer>(std::move(db));
}

}  // namespace holdfast::store
