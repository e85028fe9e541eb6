#include "store/tables/copy.h"

#include "base/crypto/hash.h"
#include "store/tables/event_hub.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <limits>

namespace holdfast::store {

namespace {

// Of one parcel, text and data roughly: bounds the memory of a copy.
constexpr std::size_t kParcelBytes = 4 * 1024 * 1024;
constexpr std::size_t kParcelItems = 500;

// A small table, whose rows go over as they are.
struct SideTable {
  std::string_view name;
  std::vector<std::string_view> keys;  // its first columns, in their order
  std::vector<std::string_view> others;
  std::string_view types;  // of all columns: t for TEXT, i for INTEGER
};

const std::array<SideTable, 3>& side_tables() {
  static const std::array<SideTable, 3> tables = {
      SideTable{"tombstones", {"id"}, {"kind", "principal", "deleted_at", "purged_at", "reason", "changed"}, "tttiiti"},
      SideTable{"lineage", {"number"}, {"child", "parent", "how", "time", "details"}, "itttit"},
      SideTable{"keyed", {"space", "key"}, {"value", "rev", "updated_at", "expires_at"}, "tttiii"}};
  return tables;
}

std::string marks_of(std::size_t count) {
  return fmt::format("{}", fmt::join(std::vector<char>(count, '?'), ", "));
}

class Copy {
 public:
  Copy(CopyEnd& from, CopyEnd& to, const std::function<void(const CopyProgress&)>& progress)
      : from_(from), to_(to), progress_(progress) {}

  Result<CopyTotals> run() {
    HF_TRY(const std::string fingerprint, fingerprint_of(from_.sql()));
    HF_TRY(const CopyTotals totals, totals_of(from_.sql()));
    HF_CHECK(mark(fingerprint));
    HF_TRY(const CopyTotals before, totals_of(to_.sql()));
    state_ = {before.items(), totals.items()};
    show();
    HF_CHECK(parcels([this] { return copy_sessions(); }));
    HF_CHECK(parcels([this] { return copy_entries(); }));
    for (const SideTable& table : side_tables()) HF_CHECK(parcels([&] { return copy_side(table); }));
    HF_TRY(const std::string afterwards, fingerprint_of(from_.sql()));
    if (afterwards != fingerprint) {
      return fail(ErrorKind::conflict, "the source was written to while it was copied",
                  "stop whoever uses it, and begin again with an empty target");
    }
    HF_TRY(const CopyTotals arrived, totals_of(to_.sql()));
    if (arrived != totals) return fail(ErrorKind::internal, "the target has not as much as the source");
    HF_CHECK(to_.settle());
    HF_TRY(const auto secret, meta(from_.sql(), "secret"));
    if (!secret) return fail(ErrorKind::corrupt, "the store has lost its secret");
    // With the mark gone the target is a store like any other.
    const Result<void> finished = in_transaction([&]() -> Result<void> {
      HF_CHECK(to_.sql().change("UPDATE meta SET value = ? WHERE name = 'secret'", {Blob{*secret}}));
      return to_.sql().change("DELETE FROM meta WHERE name = 'import'", {});
    });
    if (!finished) return fail(finished.error());
    return totals;
  }

 private:
  static Result<CopyTotals> totals_of(Sql& sql) {
    HF_TRY(const auto totals,
           sql.first<CopyTotals>(
               "SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM entries), (SELECT count(*) FROM tombstones), "
               "(SELECT count(*) FROM lineage), (SELECT count(*) FROM keyed)",
               {}, [](const Columns& row) {
                 return CopyTotals{row.integer(0), row.integer(1), row.integer(2), row.integer(3), row.integer(4)};
               }));
    return totals.value_or(CopyTotals());
  }

  static Result<std::optional<std::string>> meta(Sql& sql, std::string_view name) {
    return sql.first<std::string>(fmt::format("SELECT value FROM meta WHERE name = '{}'", name), {},
                                  [](const Columns& row) { return std::string(row.text(0)); });
  }

  // Which store it is and in which state: it changes with every write.
  static Result<std::string> fingerprint_of(Sql& sql) {
    HF_TRY(const auto id, meta(sql, "store_id"));
    HF_TRY(const CopyTotals all, totals_of(sql));
    const Digest digest = sha256(id.value_or(""));
    HF_TRY(const std::int64_t last, read_last_sequence(sql));
    HF_TRY(const auto values,
           sql.first<std::int64_t>("SELECT CAST(coalesce(sum(rev + updated_at % 1000003), 0) AS bigint) FROM keyed", {},
                                   [](const Columns& row) { return row.integer(0); }));
    return fmt::format("{} {} {} {}", to_hex(std::span(digest).first(16)), last, values.value_or(0), all.items());
  }

  template <class Function>
  Result<void> in_transaction(const Function& function) {
    HF_CHECK(to_.begin());
    return to_.end(function());
  }

  // conflict when the target holds something else, or was being filled from another store or another state of it.
  Result<void> mark(const std::string& fingerprint) {
    return in_transaction([&]() -> Result<void> {
      HF_TRY(const auto found, meta(to_.sql(), kImportMark));
      if (found && *found == fingerprint) return {};
      if (found) {
        return fail(ErrorKind::conflict,
                    "the target is being filled from another store, or the source has changed since that began",
                    "begin again with an empty target");
      }
      HF_TRY(const CopyTotals target, totals_of(to_.sql()));
      if (target.items() != 0) {
        return fail(ErrorKind::conflict,
                    fmt::format("the target is not empty: it has {} sessions, {} entries and {} values", target.sessions,
                                target.entries, target.values),
                    "name an empty one; a copy never mixes two stores");
      }
      return to_.sql().change(fmt::format("INSERT INTO meta VALUES('{}', ?)", kImportMark), {Blob{fingerprint}});
    });
  }

  // `parcel` copies one and answers how many items it had.
  template <class Parcel>
  Result<void> parcels(const Parcel& parcel) {
    while (true) {
      std::int64_t items = 0;
      Result<void> done = in_transaction([&]() -> Result<void> {
        // Held until the commit: whoever else copies into this target waits, and then finds that it has arrived.
        HF_CHECK(to_.sql().change("UPDATE meta SET value = value WHERE name = 'import'", {}));
        HF_TRY(items, parcel());
        return {};
      });
      if (!done || items == 0) return done;
      state_.done += items;
      show();
    }
  }

  void show() const {
    if (progress_) progress_(state_);
  }

  Result<std::int64_t> copy_sessions() {
    HF_TRY(const auto last, to_.sql().first<std::string>("SELECT id FROM sessions ORDER BY id DESC LIMIT 1", {},
                                                         [](const Columns& row) { return std::string(row.text(0)); }));
    const std::string after = last.value_or("");
    HF_TRY(auto rows, from_.tables().rows_after(after, kParcelItems));
    HF_TRY(const auto changed,
           from_.sql().all<std::int64_t>("SELECT changed FROM sessions WHERE id > ? ORDER BY id LIMIT ?", {after, kParcelItems},
                                         [](const Columns& row) { return row.integer(0); }));
    std::int64_t items = 0;
    for (std::size_t bytes = 0; static_cast<std::size_t>(items) < rows.size() && bytes <= kParcelBytes; ++items) {
      SessionRow& row = rows[static_cast<std::size_t>(items)];
      HF_CHECK(from_.tables().load_rest(row));
      if (row.record.damage) {
        return fail(ErrorKind::corrupt, fmt::format("session {} is damaged: {}", row.record.id, *row.record.damage),
                    "a copy would hide that; purge it or restore it from a backup first");
      }
      bytes += row.record.description.size() + to_json(row.record.data).size();
      row.changed = changed.at(static_cast<std::size_t>(items));
      row.stored_due.reset();
      row.bucket = 0;  // that is where it stands there
      HF_CHECK(to_.put_session(std::move(row)));
    }
    return items;
  }

  Result<std::int64_t> copy_entries() {
    HF_TRY(const auto after, to_.sql().first<std::int64_t>("SELECT sequence FROM entries ORDER BY sequence DESC LIMIT 1", {},
                                                           [](const Columns& row) { return row.integer(0); }));
    const std::int64_t from = after.value_or(std::numeric_limits<std::int64_t>::min());
    // How far the parcel goes is decided by the sizes: the texts of all of them might not fit into memory.
    std::int64_t upto = from;
    std::int64_t bytes = 0;
    HF_CHECK(from_.sql().each(
        "SELECT sequence, CAST(length(text) + length(data) AS bigint) FROM entries WHERE sequence > ? ORDER BY sequence LIMIT ?",
        {from, kParcelItems}, [&](const Columns& row) -> Result<bool> {
          upto = row.integer(0);
          bytes += row.integer(1);
          return bytes <= static_cast<std::int64_t>(kParcelBytes);
        }));
    static const std::string columns = "e." + fmt::format("{}", fmt::join(column_names(kEntryColumns), ", e."));
    std::int64_t items = 0;
    const Result<void> copied = from_.sql().each(
        fmt::format(
            "SELECT {}, s.id FROM entries AS e JOIN sessions AS s ON s.key = e.session WHERE e.sequence > ? AND e.sequence "
            "<= ? ORDER BY e.sequence",
            columns),
        {from, upto}, [&](const Columns& row) -> Result<bool> {
          const session::Entry entry = read_entry(row, row.text(15));
          const auto or_null = [&](SqlValue::Type type, std::string_view value) {
            if (value.empty()) return SqlValue::null_of(type);
            return type == SqlValue::Type::blob ? SqlValue(Blob{value}) : SqlValue(value);
          };
          HF_CHECK(to_.put_entry({entry.sequence, entry.session, entry.seq, entry.type, entry.lane, entry.number, entry.time,
                                  entry.author, entry.run, or_null(SqlValue::Type::text, entry.idempotency_key),
                                  Blob{row.text(9)}, Blob{row.text(10)}, or_null(SqlValue::Type::blob, row.text(11)),
                                  or_null(SqlValue::Type::blob, row.text(12)), Blob{entry.data}, Blob{entry.text}},
                                 entry));
          ++items;
          return true;
        });
    if (!copied) return fail(copied.error());
    return items;
  }

  static std::vector<std::string_view> column_names(std::string_view list) {
    std::vector<std::string_view> names;
    while (!list.empty()) {
      names.push_back(list.substr(0, list.find(", ")));
      list.remove_prefix(std::min(names.back().size() + 2, list.size()));
    }
    return names;
  }

  static SqlValues values_of(const Columns& row, std::string_view types) {
    SqlValues values;
    for (std::size_t i = 0; i < types.size(); ++i) {
      const int column = static_cast<int>(i);
      if (types[i] == 'i') {
        values.emplace_back(row.optional_integer(column));
      } else {
        values.emplace_back(row.text(column));
      }
    }
    return values;
  }

  Result<std::int64_t> copy_side(const SideTable& table) {
    const std::string keys = fmt::format("{}", fmt::join(table.keys, ", "));
    const std::string all = fmt::format("{}, {}", keys, fmt::join(table.others, ", "));
    const std::size_t count = table.keys.size();
    const std::string_view key_types = table.types.substr(0, count);
    // The last that has arrived; nothing comes before what is empty, or 0.
    std::vector<std::string> texts(count);
    SqlValues after;
    for (std::size_t i = 0; i < count; ++i) after.push_back(key_types[i] == 'i' ? SqlValue(std::int64_t{0}) : SqlValue(texts[i]));
    HF_CHECK(to_.sql().each(
        fmt::format("SELECT {} FROM {} ORDER BY {} DESC LIMIT 1", keys, table.name, fmt::join(table.keys, " DESC, ")), {},
        [&](const Columns& row) {
          after = values_of(row, key_types);
          for (std::size_t i = 0; i < count; ++i) {
            if (key_types[i] == 'i') continue;
            texts[i] = row.text(static_cast<int>(i));
            after[i] = SqlValue(texts[i]);
          }
          return false;
        }));
    after.emplace_back(kParcelItems);
    const std::string insert = fmt::format("INSERT INTO {}({}) VALUES({})", table.name, all, marks_of(table.types.size()));
    std::int64_t items = 0;
    const Result<void> copied = from_.sql().each(
        fmt::format("SELECT {0} FROM {1} WHERE ({2}) > ({3}) ORDER BY {2} LIMIT ?", all, table.name, keys, marks_of(count)),
        after, [&](const Columns& row) -> Result<bool> {
          HF_CHECK(to_.sql().change(insert, values_of(row, table.types)));
          ++items;
          return true;
        });
    if (!copied) return fail(copied.error());
    return items;
  }

  CopyEnd& from_;
  CopyEnd& to_;
  const std::function<void(const CopyProgress&)>& progress_;
  CopyProgress state_;
};

}  // namespace

Result<CopyTotals> copy_everything(CopyEnd& from, CopyEnd& to, const std::function<void(const CopyProgress&)>& progress) {
  return Copy(from, to, progress).run();
}

Error half_copied(const std::string& where) {
  return make_error(ErrorKind::refused, where + " holds a copy that is not finished",
                    "run the same holdfast store copy again: it goes on where it stopped");
}

}  // namespace holdfast::store
