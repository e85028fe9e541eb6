#include "store/sqlite/free_pages.h"

#include <fmt/format.h>

#include <sys/stat.h>

#include <set>

namespace holdfast::store {

namespace {

// Of the file format of SQLite (https://www.sqlite.org/fileformat2.html#the_freelist): the first page of the list and the count
// of all its pages stand in the header; a page of the list names the next one and some free pages.
constexpr std::int64_t kListInHeader = 32;
constexpr int kMostAttempts = 5;

class FreePages {
 public:
  explicit FreePages(Db& db) : db_(db) {}

  Result<bool> are_sound() {
    HF_TRY(page_bytes_, number("PRAGMA page_size"));
    HF_TRY(pages_, number("PRAGMA page_count"));
    HF_TRY(const std::string header, db_.read_file(kListInHeader, 8));
    const std::int64_t count = number_at(header, 4);
    std::int64_t next = number_at(header, 0);
    while (next != 0) {
      if (!take(next)) return false;
      HF_TRY(const std::string page, db_.read_file((next - 1) * page_bytes_, static_cast<std::size_t>(page_bytes_)));
      const std::int64_t named = number_at(page, 4);
      if (named > page_bytes_ / 4 - 2) return false;
      for (std::int64_t i = 0; i < named; ++i) {
        const std::int64_t free = number_at(page, static_cast<std::size_t>(8 + 4 * i));
        if (!take(free)) return false;
        HF_TRY(const bool used, looks_used(free));
        if (used) return false;
      }
      next = number_at(page, 0);
    }
    return count == static_cast<std::int64_t>(seen_.size());
  }

 private:
  Result<std::int64_t> number(std::string_view pragma) {
    HF_TRY(const auto value, db_.number(pragma));
    return value.value_or(0);
  }
  static std::int64_t number_at(std::string_view bytes, std::size_t at) {
    std::int64_t value = 0;
    for (std::size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
    return value;
  }
  bool take(std::int64_t page) { return page > 1 && page <= pages_ && seen_.insert(page).second; }

  // Pages are filled with zeros when they become free (secure_delete); those of trees begin with their kind.
  Result<bool> looks_used(std::int64_t page) {
    HF_TRY(const std::string kind, db_.read_file((page - 1) * page_bytes_, 1));
    return kind[0] == 2 || kind[0] == 5 || kind[0] == 10 || kind[0] == 13;
  }

  Db& db_;
  std::int64_t page_bytes_ = 0, pages_ = 0;
  std::set<std::int64_t> seen_;
};

bool is_empty(const std::string& file) {
  struct stat status{};
  return ::stat(file.c_str(), &status) != 0 || status.st_size == 0;
}

enum class Outcome { sound, forgotten, busy };

// Beside SQLite's cache: while the log is empty and nobody else writes, the file is all there is, and nobody who reads looks at
// this.
Result<Outcome> forget_in_file(Db& db) {
  HF_TRY(const auto busy, db.number("PRAGMA wal_checkpoint(TRUNCATE)"));
  if (busy.value_or(1) != 0) return Outcome::busy;
  HF_CHECK(db.run("BEGIN IMMEDIATE"));
  if (!is_empty(db.path() + "-wal")) return Outcome::busy;
  HF_TRY(const bool sound, FreePages(db).are_sound());
  if (sound) return Outcome::sound;
  HF_CHECK(db.write_file(kListInHeader, std::string(8, '\0')));
  HF_CHECK(db.sync_file());
  return Outcome::forgotten;
}

// A commit with the new header, so that other connections forget theirs. False when one of them has been quicker with the former.
Result<bool> announce(Db& db) {
  HF_CHECK(db.run("BEGIN IMMEDIATE"));
  HF_TRY(const auto left, db.number("PRAGMA freelist_count"));
  if (left.value_or(0) != 0) return false;
  HF_TRY(const auto version, db.number("PRAGMA user_version"));
  HF_CHECK(db.script(fmt::format("PRAGMA user_version={}", version.value_or(0))));
  HF_CHECK(db.run("COMMIT"));
  return true;
}

}  // namespace

Result<bool> forget_damaged_free_pages(const std::string& path, const std::string& vfs, std::chrono::milliseconds patience) {
  const auto open = [&]() -> Result<std::unique_ptr<Db>> {
    HF_TRY(auto db, Db::open(path, Db::Mode::read_write, vfs));
    db->set_patience(patience);
    return db;
  };
  for (int i = 0; i < kMostAttempts; ++i) {
    Outcome outcome = Outcome::busy;
    {
      HF_TRY(const auto db, open());
      HF_TRY(outcome, forget_in_file(*db));
    }
    if (outcome == Outcome::sound) return false;
    if (outcome == Outcome::busy) continue;
    HF_TRY(const auto db, open());  // one that has not read the former header
    HF_TRY(const bool announced, announce(*db));
    if (announced) return true;
  }
  return false;
}

}  // namespace holdfast::store
