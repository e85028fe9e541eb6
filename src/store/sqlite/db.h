#pragma once

// One SQLite connection, and the statements prepared on it.
//
//   HF_CHECK(db.run("DELETE FROM t WHERE a = ?", a));
//   HF_TRY(auto rows, db.query("SELECT b FROM t WHERE a = ?", a));
//   while (true) {
//     HF_TRY(const bool more, rows.next());
//     if (!more) break;
//     use(rows.text(0));
//   }
//
// A connection is used by one thread at a time; whoever owns it says how that is ensured. SQLite's
// result codes become Errors here and nowhere else: busy is unavailable, a full disk and a broken one
// are io, a file that may not be written is refused (both with the code kStorageFailed), damaged
// pages are corrupt.

#include "base/result.h"
#include "store/tables/sql.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

struct sqlite3;
struct sqlite3_file;
struct sqlite3_stmt;

namespace holdfast::store {

class Db;

// The rows of one running statement. Gives the statement back when destroyed; views of columns live
// until next() or destruction.
class Rows final : public Columns {
 public:
  Rows(Rows&& other) noexcept : db_(other.db_), statement_(std::exchange(other.statement_, nullptr)) {}
  Rows& operator=(Rows&&) = delete;
  ~Rows();

  Result<bool> next();  // false: no more rows

  std::int64_t integer(int column) const override;
  std::string_view text(int column) const override;  // of TEXT and BLOB alike; NULL is empty
  bool is_null(int column) const override;

  void bind(int index, const SqlValue& value);
  // A column of another statement, of whatever type it is.
  void bind_as(int index, const Rows& other, int column);

 private:
  friend class Db;
  Rows(Db& db, sqlite3_stmt* statement) : db_(&db), statement_(statement) {}
  Db* db_;
  sqlite3_stmt* statement_;
};

// From the mark behind `index` on; the values must outlive the rows.
inline void bind_values(Rows& rows, int& index, const std::vector<std::variant<std::int64_t, std::string>>& values) {
  for (const auto& value : values) rows.bind(++index, SqlValue(value));
}

// Longer than any commit, shorter than a caller's own patience.
inline constexpr std::chrono::milliseconds kDefaultPatience{10'000};

class Db final : public Sql {
 public:
  enum class Mode { create, read_write, read_only };
  // create: read and write, and make the file (mode 0600) when it is missing.
  // `vfs` names an SQLite VFS; empty is the default (tests name one that fails on purpose).
  static Result<std::unique_ptr<Db>> open(const std::string& path, Mode mode, const std::string& vfs = {});
  // For reading, also where SQLite can make no files beside this one (a disk that is full or may not be written). alone(): it had
  // to be so, and what others write from now on is not seen: to be used at once, and not kept.
  static Result<std::unique_ptr<Db>> open_to_read(const std::string& path, const std::string& vfs = {});
  bool alone() const { return alone_; }
  const std::string& path() const { return path_; }
  ~Db();
  Db(const Db&) = delete;
  Db& operator=(const Db&) = delete;

  // Bound strings must outlive the Rows.
  template <class... Values>
  Result<Rows> query(std::string_view sql, const Values&... values) {
    HF_TRY(Rows rows, prepare(sql));
    [[maybe_unused]] int index = 0;
    (rows.bind(++index, SqlValue(values)), ...);
    return rows;
  }
  // For statements that return no row anybody needs.
  template <class... Values>
  Result<void> run(std::string_view sql, const Values&... values) {
    HF_TRY(Rows rows, query(sql, values...));
    return finish(rows);
  }
  // The first column of the first row; nullopt without a row, and for NULL.
  template <class... Values>
  Result<std::optional<std::int64_t>> number(std::string_view sql, const Values&... values) {
    HF_TRY(Rows rows, query(sql, values...));
    return first_number(rows);
  }
  Result<Rows> prepare(std::string_view sql);
  Result<void> each(std::string_view sql, const SqlValues& values, const OnRow& on_row) override;
  Result<void> change(std::string_view sql, const SqlValues& values) override {
    return each(sql, values, [](const Columns&) { return true; });
  }
  // Several statements separated by ';', nothing bound.
  Result<void> script(const std::string& sql);

  // Runs function() -> Result<T> in a transaction that writes; rolled back when it fails.
  template <class Function>
  auto write(Function&& function) -> std::invoke_result_t<Function&> {
    HF_CHECK(run("BEGIN IMMEDIATE"));
    auto done = function();
    if (done) {
      if (auto committed = run("COMMIT"); !committed) done = fail(std::move(committed).error());
    }
    if (!done && in_transaction()) static_cast<void>(run("ROLLBACK"));
    return done;
  }

  // A file that was cut is refused as a whole by SQLite. This makes it as long as it says it is: the pages that are missing are
  // empty then, and cost only what was in them. True when it was too short.
  Result<bool> fill_up();
  // Closes the file and opens it again, as it was opened: for a log that is another one by now. Not within a transaction.
  Result<void> reopen();
  // Whether a statement has come to a damaged page, or has broken a rule of the tables: callers look before they write, so then
  // a table or an index has told them wrong. Any thread. The second one asks for what was met since it was asked last.
  bool met_damage() const { return met_damage_.load(std::memory_order_relaxed); }
  bool take_met_damage() { return met_damage_.exchange(false, std::memory_order_relaxed); }

  // Every page of this database into another, empty one, as this connection sees them now. `progress` (pages done, all pages) is
  // called between pieces of it.
  Result<void> copy_to(Db& target, const std::function<void(std::uint64_t, std::uint64_t)>& progress);

  // How long a statement waits for another process that is writing; then it is unavailable.
  void set_patience(std::chrono::milliseconds patience) { patience_ = patience; }
  std::chrono::milliseconds patience() const { return patience_; }

  // The bytes of the main file as they are on the disk, beside the pager; for scrub.h, which says when that is safe. Through
  // SQLite's own descriptor: closing another one would drop all locks this process has on the file.
  Result<std::string> read_file(std::int64_t offset, std::size_t size);
  Result<void> write_file(std::int64_t offset, std::string_view bytes);
  Result<void> sync_file();

  bool in_transaction() const;        // false also after SQLite rolled back by itself
  std::int64_t changed_rows() const;  // by the last statement
  Error error(std::string_view doing) const;
  sqlite3* handle() const { return handle_; }  // for what of SQLite has a header of its own in this folder

 private:
  friend class Rows;
  // What SQLite is told: the path or a URI of it, the flags, the VFS.
  struct Way {
    std::string name;
    int flags = 0;
    std::string vfs;
  };
  Db(std::string path, Way way) : path_(std::move(path)), way_(std::move(way)) {}
  static Result<std::unique_ptr<Db>> open_by(const std::string& path, Way way);
  Result<void> open_handle();
  void close_handle();
  static Result<void> finish(Rows& rows);
  static Result<std::optional<std::int64_t>> first_number(Rows& rows);

  int last_system_error() const;
  Result<void> on_file(std::string_view doing, const std::function<int(sqlite3_file*)>& work);
  static int wait_for_others(void* self, int attempts);

  sqlite3* handle_ = nullptr;
  std::string path_;
  Way way_;
  bool alone_ = false;
  mutable std::atomic<bool> met_damage_ = false;
  std::chrono::milliseconds patience_ = kDefaultPatience;
  std::chrono::steady_clock::time_point waiting_since_;
  std::unordered_map<std::string, sqlite3_stmt*> idle_;  // prepared and not in use
};

}  // namespace holdfast::store
