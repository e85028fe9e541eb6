#include "store/sqlite/lists/shelves.h"

#include "base/crypto/hash.h"
#include "session/length_prefix.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace holdfast::store {

namespace {

constexpr std::string_view kShelfColumns = "number, principal, kind, visibility, status, pinned, aspect, sessions, checksum";

constexpr std::size_t kShelfChecksumBytes = 16;  // against accidents, as those of records

// Sessions of one step of counting anew: bounds the memory.
constexpr std::size_t kStep = 1000;

std::string shelf_checksum(const Shelf& shelf) {
  std::string all;
  for (const std::int64_t number : {shelf.number, shelf.visibility, static_cast<std::int64_t>(shelf.pinned), shelf.sessions}) {
    session::put_integer(all, number);
  }
  for (const std::string_view text :
       {std::string_view(shelf.principal), std::string_view(shelf.kind), std::string_view(shelf.status)}) {
    session::put_string(all, text);
  }
  all.push_back(shelf.aspect ? '+' : '-');
  session::put_string(all, shelf.aspect.value_or(""));
  return std::string(bytes_of(sha256(all)).substr(0, kShelfChecksumBytes));
}

// Columns of kShelfColumns; `fits` says whether the checksum does.
Shelf decode_shelf(const Columns& rows, bool& fits) {
  Shelf shelf;
  shelf.number = rows.integer(0);
  shelf.principal = rows.text(1);
  shelf.kind = rows.text(2);
  shelf.visibility = rows.integer(3);
  shelf.status = rows.text(4);
  shelf.pinned = rows.integer(5) != 0;
  if (!rows.is_null(6)) shelf.aspect = rows.text(6);
  shelf.sessions = rows.integer(7);
  fits = rows.text(8) == shelf_checksum(shelf);
  return shelf;
}

// A checksum that did not fit stays as it is: counting on must not make damage look sound.
Result<void> change_count(Db& db, std::int64_t number, std::int64_t by) {
  static const std::string sql = fmt::format("SELECT {} FROM shelves WHERE number = ?", kShelfColumns);
  Shelf shelf;
  bool fits = false;
  {
    HF_TRY(auto rows, db.query(sql, number));
    HF_TRY(const bool found, rows.next());
    if (!found) return {};
    shelf = decode_shelf(rows, fits);
  }
  if (!fits) return {};
  shelf.sessions += by;
  if (shelf.sessions == 0) shelf.aspect.reset();
  return write_shelf(db, shelf);
}

// What earlier versions left on an empty shelf.
bool has_word_of_nobody(const Shelf& shelf) {
  return shelf.sessions == 0 && shelf.aspect && !shelf.aspect->empty();
}

Result<void> forget_words_of_nobody(Db& db) {
  HF_TRY(const auto numbers, db.all<std::int64_t>("SELECT number FROM shelves WHERE sessions = 0 AND aspect <> ''", {},
                                                  [](const Columns& row) { return row.integer(0); }));
  for (const std::int64_t number : numbers) HF_CHECK(change_count(db, number, 0));
  return {};
}

// A row that the next aspect can have.
bool is_free(const Shelf& shelf) {
  return shelf.sessions == 0 && !shelf.aspect;
}

// An empty one is taken, or made, when there is none.
Result<std::int64_t> find_shelf(Db& db, const session::SessionRecord& record) {
  static const std::string sql = fmt::format(
      "SELECT {} FROM shelves WHERE principal = ? AND kind = ? AND visibility = ? AND status = ? AND pinned = ?", kShelfColumns);
  Shelf wanted{0, record.principal, record.kind, static_cast<std::int64_t>(record.visibility), record.status, record.pinned, {},
               0};
  std::optional<std::int64_t> rest, free;
  std::size_t aspects = 0;
  {
    HF_TRY(auto rows, db.query(sql, wanted.principal, wanted.kind, wanted.visibility, wanted.status, wanted.pinned));
    while (true) {
      HF_TRY(const bool more, rows.next());
      if (!more) break;
      bool fits = false;
      const Shelf shelf = decode_shelf(rows, fits);
      if (shelf.aspect == record.aspect) return shelf.number;
      if (shelf.aspect)
        ++aspects;
      else if (fits && is_free(shelf))
        free = shelf.number;
      else
        rest = shelf.number;
    }
  }
  const bool own = aspects < kMaxAspectShelves;
  if (!own && rest) return *rest;
  if (own) wanted.aspect = record.aspect;
  if (free) {
    wanted.number = *free;
  } else {
    HF_TRY(const auto highest, db.number("SELECT max(number) FROM shelves"));
    wanted.number = highest.value_or(0) + 1;
  }
  HF_CHECK(write_shelf(db, wanted));
  return wanted.number;
}

// Sessions that stand on none, or on one that does not exist.
Result<bool> any_astray(Db& db, std::int64_t highest) {
  HF_TRY(const auto first, db.number("SELECT min(shelf) FROM sessions"));
  HF_TRY(const auto last, db.number("SELECT max(shelf) FROM sessions"));
  return first.value_or(1) < 1 || last.value_or(highest) > highest;
}

// Those that have no root at all are found under ''.
constexpr const char* kRebuildRoots = R"sql(
DELETE FROM roots;
INSERT OR IGNORE INTO roots SELECT root_uri, shelf, key FROM sessions WHERE root_uri <> '';
INSERT OR IGNORE INTO roots SELECT each.value, s.shelf, s.key FROM sessions AS s,
  json_each(CASE WHEN json_valid(s.linked_roots) THEN s.linked_roots ELSE '[]' END) AS each WHERE each.type = 'text';
INSERT INTO roots SELECT '', shelf, key FROM sessions WHERE key NOT IN (SELECT session FROM roots)
)sql";

}  // namespace

Result<void> write_shelf(Db& db, const Shelf& shelf) {
  static const std::string sql =
      fmt::format("INSERT OR REPLACE INTO shelves({}) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", kShelfColumns);
  return db.run(sql, shelf.number, shelf.principal, shelf.kind, shelf.visibility, shelf.status, shelf.pinned, shelf.aspect,
                shelf.sessions, Blob{shelf_checksum(shelf)});
}

std::int64_t sum_of(const std::vector<Shelf>& shelves) {
  std::int64_t sum = 0;
  for (const Shelf& shelf : shelves) sum += shelf.sessions;
  return sum;
}

session::Position shelf_position(const session::Query& query, const Shelf& shelf) {
  session::Position position;
  if (query.sort == session::Sort::resume) {
    position.keys[0] = shelf.pinned ? 1 : 0;
    position.keys[1] = std::ranges::count(query.prefer_status, shelf.status) > 0 ? 1 : 0;
  }
  return position;
}

Result<std::optional<std::vector<Shelf>>> read_shelves(Db& db) {
  static const std::string sql = fmt::format("SELECT {} FROM shelves ORDER BY number", kShelfColumns);
  std::vector<Shelf> shelves;
  bool fit = true;
  HF_CHECK(db.each(sql, {}, [&](const Columns& row) {
    shelves.push_back(decode_shelf(row, fit));
    fit = fit && shelves.back().number == static_cast<std::int64_t>(shelves.size());
    return fit;
  }));
  if (!fit) return std::nullopt;
  HF_TRY(const bool astray, any_astray(db, static_cast<std::int64_t>(shelves.size())));
  if (astray) return std::nullopt;
  return shelves;
}

Result<std::int64_t> put_on_shelf(Db& db, const session::SessionRecord& record, std::int64_t from) {
  HF_TRY(const std::int64_t number, find_shelf(db, record));
  if (number == from) return number;
  HF_CHECK(change_count(db, number, 1));
  if (from != 0) HF_CHECK(change_count(db, from, -1));
  return number;
}

Result<void> take_from_shelf(Db& db, std::int64_t number) {
  return change_count(db, number, -1);
}

Result<void> rebuild_shelves(Db& db) {
  HF_CHECK(db.run("DELETE FROM shelves"));
  std::map<std::int64_t, std::int64_t> counts;
  std::int64_t after = 0;
  while (true) {
    using Standing = std::pair<std::int64_t, session::SessionRecord>;  // key, and what decides about its shelf
    HF_TRY(const auto step,
           db.all<Standing>(
               "SELECT key, principal, kind, visibility, status, pinned, aspect FROM sessions WHERE key > ? ORDER BY key LIMIT ?",
               {after, kStep}, [](const Columns& row) {
                 Standing found(row.integer(0), {});
                 session::SessionRecord& record = found.second;
                 record.principal = row.text(1);
                 record.kind = row.text(2);
                 record.visibility = static_cast<session::Visibility>(row.integer(3));
                 record.status = row.text(4);
                 record.pinned = row.integer(5) != 0;
                 record.aspect = row.text(6);
                 return found;
               }));
    for (const auto& [key, record] : step) {
      HF_TRY(const std::int64_t number, find_shelf(db, record));
      ++counts[number];
      HF_CHECK(db.run("UPDATE sessions SET shelf = ?1 WHERE key = ?2 AND shelf <> ?1", number, key));
      after = key;
    }
    if (step.size() < kStep) break;
  }
  for (const auto& [number, count] : counts) HF_CHECK(change_count(db, number, count));
  return db.script(kRebuildRoots);
}

Result<void> mend_shelves(Db& db) {
  HF_TRY(const auto shelves, read_shelves(db));
  if (shelves && std::ranges::none_of(*shelves, has_word_of_nobody)) return {};
  HF_CHECK(db.run("BEGIN IMMEDIATE"));
  Result<void> done = shelves ? forget_words_of_nobody(db) : rebuild_shelves(db);
  if (done) done = db.run("COMMIT");
  if (!done && db.in_transaction()) static_cast<void>(db.run("ROLLBACK"));
  return done;
}

Result<std::vector<std::string>> check_shelves(Db& db) {
  std::vector<std::string> problems;
  HF_TRY(const auto shelves, read_shelves(db));
  if (!shelves) {
    problems.emplace_back("the counts of sessions are damaged; they are made anew when the store is opened for writing");
    return problems;
  }
  HF_TRY(const auto astray,
         db.number("SELECT count(*) FROM sessions AS s LEFT JOIN shelves AS h ON h.number = s.shelf WHERE h.number IS NULL OR "
                   "(h.principal, h.kind, h.visibility, h.status, h.pinned) <> (s.principal, s.kind, s.visibility, s.status, "
                   "s.pinned) OR ifnull(h.aspect <> s.aspect, 0)"));
  if (astray.value_or(0) != 0) problems.push_back(fmt::format("{} sessions are listed under the wrong heading", *astray));
  std::map<std::int64_t, std::int64_t> found;
  HF_CHECK(db.each("SELECT shelf, count(*) FROM sessions NOT INDEXED GROUP BY shelf", {}, [&](const Columns& row) {
    found[row.integer(0)] = row.integer(1);
    return true;
  }));
  for (const Shelf& shelf : *shelves) {
    if (found[shelf.number] == shelf.sessions) continue;
    problems.push_back(fmt::format("{} sessions of kind {} and status {} are counted, {} found", shelf.sessions, shelf.kind,
                                   shelf.status, found[shelf.number]));
  }
  return problems;
}

}  // namespace holdfast::store
