#include "store/sqlite/lists/buckets.h"

#include "base/crypto/hash.h"
#include "session/length_prefix.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace holdfast::store {

namespace {

constexpr std::string_view kBucketColumns = "number, principal, kind, visibility, status, pinned, aspect, sessions, checksum";

constexpr std::size_t kBucketChecksumBytes = 16;  // against accidents, as those of records

// Sessions of one step of counting anew: bounds the memory.
constexpr std::size_t kStep = 1000;

std::string bucket_checksum(const Bucket& bucket) {
  std::string all;
  for (const std::int64_t number :
       {bucket.number, bucket.visibility, static_cast<std::int64_t>(bucket.pinned), bucket.sessions}) {
    session::put_integer(all, number);
  }
  for (const std::string_view text :
       {std::string_view(bucket.principal), std::string_view(bucket.kind), std::string_view(bucket.status)}) {
    session::put_string(all, text);
  }
  all.push_back(bucket.aspect ? '+' : '-');
  session::put_string(all, bucket.aspect.value_or(""));
  return std::string(bytes_of(sha256(all)).substr(0, kBucketChecksumBytes));
}

// Columns of kBucketColumns; `fits` says whether the checksum does.
Bucket decode_bucket(const Columns& rows, bool& fits) {
  Bucket bucket;
  bucket.number = rows.integer(0);
  bucket.principal = rows.text(1);
  bucket.kind = rows.text(2);
  bucket.visibility = rows.integer(3);
  bucket.status = rows.text(4);
  bucket.pinned = rows.integer(5) != 0;
  if (!rows.is_null(6)) bucket.aspect = rows.text(6);
  bucket.sessions = rows.integer(7);
  fits = rows.text(8) == bucket_checksum(bucket);
  return bucket;
}

// A checksum that did not fit stays as it is: counting on must not make damage look sound.
Result<void> change_count(Db& db, std::int64_t number, std::int64_t by) {
  static const std::string sql = fmt::format("SELECT {} FROM shelves WHERE number = ?", kBucketColumns);
  bool fits = false;
  HF_TRY(auto found, db.first<Bucket>(sql, {number}, [&](const Columns& row) { return decode_bucket(row, fits); }));
  if (!found || !fits) return {};
  Bucket& bucket = *found;
  bucket.sessions += by;
  if (bucket.sessions == 0) bucket.aspect.reset();
  return write_bucket(db, bucket);
}

// What earlier versions left in an empty bucket.
bool has_word_of_nobody(const Bucket& bucket) {
  return bucket.sessions == 0 && bucket.aspect && !bucket.aspect->empty();
}

Result<void> forget_words_of_nobody(Db& db) {
  HF_TRY(const auto numbers, db.all<std::int64_t>("SELECT number FROM shelves WHERE sessions = 0 AND aspect <> ''", {},
                                                  [](const Columns& row) { return row.integer(0); }));
  for (const std::int64_t number : numbers) HF_CHECK(change_count(db, number, 0));
  return {};
}

// A row that the next aspect can have.
bool is_free(const Bucket& bucket) {
  return bucket.sessions == 0 && !bucket.aspect;
}

// An empty one is taken, or made, when there is none.
Result<std::int64_t> find_bucket(Db& db, const session::SessionRecord& record) {
  static const std::string sql = fmt::format(
      "SELECT {} FROM shelves WHERE principal = ? AND kind = ? AND visibility = ? AND status = ? AND pinned = ?", kBucketColumns);
  Bucket wanted{0, record.principal, record.kind, static_cast<std::int64_t>(record.visibility), record.status, record.pinned, {},
                0};
  std::optional<std::int64_t> rest, free;
  std::size_t aspects = 0;
  std::optional<std::int64_t> same;
  HF_CHECK(
      db.each(sql, {wanted.principal, wanted.kind, wanted.visibility, wanted.status, wanted.pinned}, [&](const Columns& row) {
        bool fits = false;
        const Bucket bucket = decode_bucket(row, fits);
        if (bucket.aspect == record.aspect) same = bucket.number;
        if (bucket.aspect)
          ++aspects;
        else if (fits && is_free(bucket))
          free = bucket.number;
        else
          rest = bucket.number;
        return !same;
      }));
  if (same) return *same;
  const bool own = aspects < kMaxAspectBuckets;
  if (!own && rest) return *rest;
  if (own) wanted.aspect = record.aspect;
  if (free) {
    wanted.number = *free;
  } else {
    HF_TRY(const auto highest, db.number("SELECT max(number) FROM shelves"));
    wanted.number = highest.value_or(0) + 1;
  }
  HF_CHECK(write_bucket(db, wanted));
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

Result<void> write_bucket(Db& db, const Bucket& bucket) {
  static const std::string sql =
      fmt::format("INSERT OR REPLACE INTO shelves({}) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", kBucketColumns);
  return db.run(sql, bucket.number, bucket.principal, bucket.kind, bucket.visibility, bucket.status, bucket.pinned, bucket.aspect,
                bucket.sessions, Blob{bucket_checksum(bucket)});
}

std::int64_t sum_of(const std::vector<Bucket>& buckets) {
  std::int64_t sum = 0;
  for (const Bucket& bucket : buckets) sum += bucket.sessions;
  return sum;
}

session::Position bucket_position(const session::Query& query, const Bucket& bucket) {
  session::Position position;
  if (query.sort == session::Sort::resume) {
    position.keys[0] = bucket.pinned ? 1 : 0;
    position.keys[1] = std::ranges::count(query.prefer_status, bucket.status) > 0 ? 1 : 0;
  }
  return position;
}

Result<std::optional<std::vector<Bucket>>> read_buckets(Db& db) {
  static const std::string sql = fmt::format("SELECT {} FROM shelves ORDER BY number", kBucketColumns);
  std::vector<Bucket> buckets;
  bool fit = true;
  HF_CHECK(db.each(sql, {}, [&](const Columns& row) {
    buckets.push_back(decode_bucket(row, fit));
    fit = fit && buckets.back().number == static_cast<std::int64_t>(buckets.size());
    return fit;
  }));
  if (!fit) return std::nullopt;
  HF_TRY(const bool astray, any_astray(db, static_cast<std::int64_t>(buckets.size())));
  if (astray) return std::nullopt;
  return buckets;
}

Result<std::int64_t> put_in_bucket(Db& db, const session::SessionRecord& record, std::int64_t from) {
  HF_TRY(const std::int64_t number, find_bucket(db, record));
  if (number == from) return number;
  HF_CHECK(change_count(db, number, 1));
  if (from != 0) HF_CHECK(change_count(db, from, -1));
  return number;
}

Result<void> take_from_bucket(Db& db, std::int64_t number) {
  return change_count(db, number, -1);
}

Result<void> rebuild_buckets(Db& db) {
  HF_CHECK(db.run("DELETE FROM shelves"));
  std::map<std::int64_t, std::int64_t> counts;
  std::int64_t after = 0;
  while (true) {
    using Standing = std::pair<std::int64_t, session::SessionRecord>;  // key, and what decides about its bucket
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
      HF_TRY(const std::int64_t number, find_bucket(db, record));
      ++counts[number];
      HF_CHECK(db.run("UPDATE sessions SET shelf = ?1 WHERE key = ?2 AND shelf <> ?1", number, key));
      after = key;
    }
    if (step.size() < kStep) break;
  }
  for (const auto& [number, count] : counts) HF_CHECK(change_count(db, number, count));
  return db.script(kRebuildRoots);
}

Result<void> mend_buckets(Db& db) {
  HF_TRY(const auto buckets, read_buckets(db));
  if (buckets && std::ranges::none_of(*buckets, has_word_of_nobody)) return {};
  return db.write([&] { return buckets ? forget_words_of_nobody(db) : rebuild_buckets(db); });
}

Result<std::vector<std::string>> check_buckets(Db& db) {
  std::vector<std::string> problems;
  HF_TRY(const auto buckets, read_buckets(db));
  if (!buckets) {
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
  for (const Bucket& bucket : *buckets) {
    if (found[bucket.number] == bucket.sessions) continue;
    problems.push_back(fmt::format("{} sessions of kind {} and status {} are counted, {} found", bucket.sessions, bucket.kind,
                                   bucket.status, found[bucket.number]));
  }
  return problems;
}

}  // namespace holdfast::store
