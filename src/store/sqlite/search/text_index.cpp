#include "store/sqlite/search/text_index.h"

#include "base/run/log.h"
#include "search/words/words.h"
#include "store/sqlite/search/segment_query.h"
#include "store/sqlite/search/segment_words.h"
#include "store/tables/event_hub.h"
#include "store/tables/session_row.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <exception>

namespace holdfast::store {

namespace {

constexpr int kIndexVersion = 3;  // 2 had other words

// Losing the index costs time, not data: the log is not synced at each commit. secure_delete, because a
// dropped segment must not leave words behind.
constexpr const char* kIndexSettings =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON; PRAGMA cache_size=-1024; "
    "PRAGMA temp_store=MEMORY";

constexpr const char* kTables =
    "CREATE TABLE IF NOT EXISTS meta(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS segments(number INTEGER PRIMARY KEY AUTOINCREMENT, first INTEGER NOT NULL, last INTEGER NOT "
    "NULL, "
    "bytes INTEGER NOT NULL, merged INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS indexed_records(segment INTEGER NOT NULL, session INTEGER NOT NULL, PRIMARY KEY(segment, "
    "session)) "
    "WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS filters(number INTEGER PRIMARY KEY, words BLOB NOT NULL, records BLOB NOT NULL)";

// Contentless: words, not texts. Entries and records apart: a word that all titles have must not slow down a search of entries.
constexpr const char* kSegmentTables =
    "CREATE VIRTUAL TABLE words_{0} USING fts5(words, content='', columnsize=0, tokenize='ascii');"
    "CREATE VIRTUAL TABLE words_terms_{0} USING fts5vocab(words_{0}, instance);"
    "CREATE VIRTUAL TABLE records_{0} USING fts5(words, content='', columnsize=0, tokenize='ascii');"
    "CREATE VIRTUAL TABLE records_terms_{0} USING fts5vocab(records_{0}, instance)";

// What stands under the numbers of a range, in their order. The session is 0 for an entry, whose text is in the first column.
constexpr const char* kRange =
    "SELECT sequence, 0, text, '', '' FROM entries WHERE sequence BETWEEN ?1 AND ?2 "
    "UNION ALL SELECT s.changed, s.key, s.title, t.description, s.tags FROM sessions AS s JOIN session_texts AS t "
    "ON t.session = s.key WHERE s.changed BETWEEN ?1 AND ?2 ORDER BY 1";

Result<std::vector<Segment>> read_segments(Db& index) {
  HF_TRY(auto rows, index.query("SELECT number, first, last, bytes, merged FROM segments ORDER BY first DESC"));
  std::vector<Segment> segments;
  while (true) {
    HF_TRY(const bool more, rows.next());
    if (!more) return segments;
    segments.push_back({rows.integer(0), rows.integer(1), rows.integer(2), rows.integer(3), rows.integer(4)});
  }
}

// A file of another store (a copied folder) or of another version is as good as none.
Result<bool> belongs_to(Db& index, const std::string& store_id) {
  HF_TRY(const auto version, index.number("PRAGMA user_version"));
  if (version != kIndexVersion) return false;
  HF_TRY(auto rows, index.query("SELECT value FROM meta WHERE name = 'store_id'"));
  HF_TRY(const bool found, rows.next());
  return found && rows.text(0) == store_id;
}

Result<void> make_tables(Db& index, const std::string& store_id) {
  HF_CHECK(index.script(fmt::format("BEGIN IMMEDIATE; {}; PRAGMA user_version={}", kTables, kIndexVersion)));
  HF_CHECK(index.run("INSERT OR REPLACE INTO meta VALUES('store_id', ?), ('erasures', 0)", Blob{store_id}));
  return index.run("COMMIT");
}

// What lost text: entries with these numbers, and every version of the session's record.
struct Erasure {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t session = 0;  // 0: of none
};

Result<bool> holds_any(Db& index, const Segment& segment, const std::vector<Erasure>& erased) {
  for (const Erasure& each : erased) {
    if (each.first <= segment.last && each.last >= segment.first) return true;
    HF_TRY(const auto held,
           index.number("SELECT 1 FROM indexed_records WHERE segment = ? AND session = ?", segment.number, each.session));
    if (held) return true;
  }
  return false;
}

struct Gap {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::optional<Segment> before;  // the segment that ends where the gap begins
};

// One row of kRange. Returns how much text it had.
Result<std::size_t> add_row(Db& index, std::int64_t segment, const Rows& row) {
  const std::int64_t session = row.integer(1);
  const std::string text = session == 0 ? std::string(row.text(2)) : searched_text(row.text(2), row.text(3), row.text(4));
  const std::string words = search::spaced_words(text);
  if (!words.empty()) {
    const std::string insert =
        fmt::format("INSERT INTO {}_{}(rowid, words) VALUES(?, ?)", session == 0 ? "words" : "records", segment);
    HF_CHECK(index.run(insert, row.integer(0), words));
    if (session != 0) HF_CHECK(index.run("INSERT OR IGNORE INTO indexed_records VALUES(?, ?)", segment, session));
  }
  return text.size();
}

// The newest range that no segment covers: people look for what is recent.
std::optional<Gap> newest_gap(const std::vector<Segment>& falling, std::int64_t last_sequence) {
  std::int64_t last = last_sequence;
  for (const Segment& segment : falling) {
    if (segment.last < last) return Gap{segment.last + 1, last, segment};
    last = segment.first - 1;
  }
  if (last >= 1) return Gap{1, last, std::nullopt};
  return std::nullopt;
}

}  // namespace

TextIndex::~TextIndex() {
  closing_ = true;
  if (feeder_.joinable()) feeder_.join();
}

Result<std::unique_ptr<Db>> TextIndex::open(bool create) {
  if (!create && ::access(path().c_str(), F_OK) != 0) return fail(ErrorKind::not_found, "there is no index yet");
  auto db = Db::open(path(), Db::Mode::create);
  if (!db) return db;
  HF_CHECK((*db)->script(kIndexSettings));
  HF_TRY(const auto tables, (*db)->number("SELECT count(*) FROM sqlite_schema"));
  if (tables == 0) HF_CHECK(make_tables(**db, context_.store_id));
  HF_TRY(const bool ours, belongs_to(**db, context_.store_id));
  if (!ours) return fail(ErrorKind::corrupt, "the index belongs to another store or version");
  return db;
}

void TextIndex::discard(const Error& error) {
  if (error.kind != ErrorKind::corrupt && error.kind != ErrorKind::internal) return;
  log(LogLevel::warn, "store", "the search index is rebuilt: " + error.message);
  for (const char* suffix : {"", "-wal", "-shm"}) static_cast<void>(::unlink((path() + suffix).c_str()));
}

Db* TextIndex::reading_db() {
  if (db_ != nullptr) return db_.get();
  auto opened = open(false);
  if (opened) {
    db_ = *std::move(opened);
    filters_.clear();
  } else {
    discard(opened.error());
  }
  return db_.get();
}

std::vector<Segment> TextIndex::segments() {
  const std::lock_guard lock(mutex_);
  Db* db = reading_db();
  if (db == nullptr) return {};
  auto segments = read_segments(*db);
  if (segments) {
    std::erase_if(filters_, [&](const auto& filter) {
      return std::ranges::find(*segments, filter.first, &Segment::number) == segments->end();
    });
    return *std::move(segments);
  }
  db_.reset();
  discard(segments.error());
  return {};
}

// Only segments to which nothing is added any more have a filter.
Result<bool> TextIndex::may_be_in(Db& index, const Segment& segment, Indexed what, const std::vector<search::WordTerm>& words) {
  if (segment.bytes < segment_bytes_) return true;
  auto known = filters_.find(segment.number);
  if (known == filters_.end()) {
    HF_TRY(auto rows, index.query("SELECT words, records FROM filters WHERE number = ?", segment.number));
    HF_TRY(const bool found, rows.next());
    if (!found) return true;
    known = filters_.try_emplace(segment.number, std::string(rows.text(0)), std::string(rows.text(1))).first;
  }
  return may_match(what == Indexed::entries ? known->second.words : known->second.records, words);
}

bool TextIndex::find(const Segment& segment, Indexed what, const std::vector<search::WordTerm>& words,
                     const std::function<bool(std::int64_t)>& on_number) {
  if (words.empty()) return false;
  const std::lock_guard lock(mutex_);
  Db* db = reading_db();
  if (db == nullptr) return false;
  const auto search = [&]() -> Result<void> {
    HF_TRY(const bool possible, may_be_in(*db, segment, what, words));
    if (!possible) return {};
    // Within the range as it was when the caller asked for it: the feeder may have added since.
    const std::string_view table = what == Indexed::entries ? "words" : "records";
    const IndexTable asked{fmt::format("{}_{}", table, segment.number), fmt::format("{}_terms_{}", table, segment.number),
                           segment.first, segment.last};
    return find_numbers(*db, asked, words, on_number);
  };
  auto done = search();
  if (done) return true;
  // "internal" is also what a segment that was dropped meanwhile looks like; then nothing is wrong.
  if (done.error().kind == ErrorKind::corrupt) {
    db_.reset();
    discard(done.error());
  }
  return false;
}

void TextIndex::feed_soon() {
  if (feeding_.exchange(true)) return;
  const std::lock_guard lock(feeder_mutex_);
  if (feeder_.joinable()) feeder_.join();
  try {
    feeder_ = std::thread([this] {
      feed();
      feeding_ = false;
    });
  } catch (const std::exception& problem) {
    feeding_ = false;  // searches read what is not indexed; a later commit tries again
    log(LogLevel::warn, "store", std::string("the index is not fed, there is no thread: ") + problem.what());
  }
}

void TextIndex::feed() {
  auto index = open(true);
  if (!index) return discard(index.error());
  auto erased = drop_erased(**index);
  if (!erased) return discard(erased.error());
  while (!closing_) {
    auto more = feed_batch(**index);
    // Busy means that another process feeds: it does the same work.
    if (!more) return discard(more.error());
    if (!*more) break;
  }
  // Another process may have dropped a segment meanwhile, which is no reason to begin anew.
  if (auto tidied = tidy(**index); !tidied && tidied.error().kind == ErrorKind::corrupt) discard(tidied.error());
}

Result<bool> TextIndex::feed_batch(Db& index) {
  HF_CHECK(index.run("BEGIN IMMEDIATE"));
  const auto fill = [&]() -> Result<bool> {
    HF_TRY(const auto segments, read_segments(index));
    HF_TRY(const std::int64_t last, readers_.with([](Db& db) { return read_last_sequence(db); }));
    const auto gap = newest_gap(segments, last);
    if (!gap) return false;

    Segment segment;
    if (gap->before && gap->before->bytes < segment_bytes_) {
      segment = *gap->before;
    } else {
      // A number is never used twice: a search may still hold the list of segments from before.
      HF_TRY(const auto number,
             index.number("INSERT INTO segments(first, last, bytes, merged) VALUES(?, ?, 0, 0) RETURNING number", gap->first,
                          gap->first));
      segment = {number.value_or(0), gap->first, gap->first, 0, 0};
      HF_CHECK(index.script(fmt::format(fmt::runtime(kSegmentTables), segment.number)));
    }
    std::size_t bytes = 0;
    const auto copy = [&](Db& db) -> Result<std::int64_t> {
      HF_TRY(auto rows, db.query(kRange, gap->first, gap->last));
      while (true) {
        HF_TRY(const bool more, rows.next());
        if (!more) return gap->last;
        HF_TRY(const std::size_t added, add_row(index, segment.number, rows));
        bytes += added;
        if (bytes >= kFeedBytes) return rows.integer(0);
      }
    };
    HF_TRY(segment.last, readers_.with(copy));
    segment.bytes += static_cast<std::int64_t>(bytes);
    HF_CHECK(index.run("UPDATE segments SET last = ?, bytes = ? WHERE number = ?", segment.last, segment.bytes, segment.number));
    return true;
  };
  auto filled = fill();
  if (filled && *filled) {
    if (auto committed = index.run("COMMIT"); !committed) filled = fail(std::move(committed).error());
  }
  if (index.in_transaction()) static_cast<void>(index.run("ROLLBACK"));
  return filled;
}

Result<void> TextIndex::tidy(Db& index) {
  HF_TRY(const auto segments, read_segments(index));
  for (const Segment& segment : segments) {
    if (closing_) return {};
    const std::int64_t apart = segment.bytes - segment.merged;
    if (apart > 0 && apart * kMergePart >= segment.bytes) {
      for (const char* table : {"words", "records"}) HF_CHECK(merge_table(index, fmt::format("{}_{}", table, segment.number)));
      if (closing_) return {};
      HF_CHECK(index.run("UPDATE segments SET merged = ? WHERE number = ?", segment.bytes, segment.number));
    }
    if (segment.bytes >= segment_bytes_) HF_CHECK(write_filters(index, segment));
  }
  return {};
}

Result<void> TextIndex::write_filters(Db& index, const Segment& segment) {
  HF_TRY(const auto there, index.number("SELECT 1 FROM filters WHERE number = ?", segment.number));
  if (there) return {};
  HF_TRY(const std::string words, make_filter(index, fmt::format("words_{}", segment.number), closing_));
  HF_TRY(const std::string records, make_filter(index, fmt::format("records_{}", segment.number), closing_));
  if (closing_) return {};
  // Unless an erasure dropped the segment meanwhile.
  return index.run("INSERT OR IGNORE INTO filters SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM segments WHERE number = ?1)",
                   segment.number, Blob{words}, Blob{records});
}

// A negative number of pages tells FTS5 that all trees are to become one; it then goes on with a positive one.
Result<void> TextIndex::merge_table(Db& index, std::string_view table) {
  const std::string sql = fmt::format("INSERT INTO {0}({0}, rank) VALUES('merge', ?)", table);
  for (int pages = -kMergePages; !closing_; pages = kMergePages) {
    HF_TRY(const auto before, index.number("SELECT total_changes()"));
    HF_CHECK(index.run(sql, pages));
    HF_TRY(const auto after, index.number("SELECT total_changes()"));
    // One is the statement itself.
    if (after.value_or(0) - before.value_or(0) < 2) break;
  }
  return {};
}

Result<bool> TextIndex::drop_erased(Db& index) {
  HF_TRY(const auto seen, index.number("SELECT value FROM meta WHERE name = 'erasures'"));
  std::int64_t newest = seen.value_or(0);
  std::vector<Erasure> erased;
  HF_CHECK(readers_.with([&](Db& db) -> Result<void> {
    HF_TRY(auto rows, db.query("SELECT sequence, first, last, session FROM erasures WHERE sequence > ?", newest));
    while (true) {
      HF_TRY(const bool more, rows.next());
      if (!more) return {};
      newest = std::max(newest, rows.integer(0));
      erased.push_back({rows.integer(1), rows.integer(2), rows.integer(3)});
    }
  }));
  HF_TRY(const auto unfinished, index.number("SELECT 1 FROM meta WHERE name = 'scrub'"));
  if (erased.empty()) return unfinished ? finish_scrub(index) : Result<bool>(true);
  HF_CHECK(index.run("BEGIN IMMEDIATE"));
  const auto drop = [&]() -> Result<void> {
    HF_TRY(const auto segments, read_segments(index));
    for (const Segment& segment : segments) {
      HF_TRY(const bool touched, holds_any(index, segment, erased));
      if (!touched) continue;
      for (const char* table : {"words_terms", "words", "records_terms", "records"}) {
        HF_CHECK(index.script(fmt::format("DROP TABLE IF EXISTS {}_{}", table, segment.number)));
      }
      HF_CHECK(index.run("DELETE FROM indexed_records WHERE segment = ?", segment.number));
      HF_CHECK(index.run("DELETE FROM filters WHERE number = ?", segment.number));
      HF_CHECK(index.run("DELETE FROM segments WHERE number = ?", segment.number));
    }
    HF_CHECK(index.run("INSERT OR REPLACE INTO meta VALUES('erasures', ?), ('scrub', 1)", newest));
    return index.run("COMMIT");
  };
  auto dropped = drop();
  if (index.in_transaction()) static_cast<void>(index.run("ROLLBACK"));
  HF_CHECK(std::move(dropped));
  return finish_scrub(index);
}

// All pages of a dropped segment are overwritten; old ones remain in the log as long as somebody reads them.
Result<bool> TextIndex::finish_scrub(Db& index) {
  HF_TRY(const auto busy, index.number("PRAGMA wal_checkpoint(TRUNCATE)"));
  if (busy.value_or(1) != 0) return false;
  HF_CHECK(index.run("DELETE FROM meta WHERE name = 'scrub'"));
  return true;
}

bool TextIndex::forget_erased(std::chrono::milliseconds patience) {
  if (::access(path().c_str(), F_OK) != 0) return true;
  auto index = open(false);
  if (!index) {
    discard(index.error());
    return true;
  }
  (*index)->set_patience(patience);
  const auto gone = drop_erased(**index);
  if (gone && *gone) return true;
  if (!gone) discard(gone.error());
  log(LogLevel::warn, "store", "erased words are still in the search index: " + (gone ? "somebody reads" : gone.error().message));
  return false;
}

std::int64_t TextIndex::bytes() const {
  struct stat status{};
  return ::stat(path().c_str(), &status) == 0 ? status.st_size : 0;
}

}  // namespace holdfast::store
