#include "base/files/file.h"
#include "store/sqlite/lists/buckets.h"
#include "store/sqlite/rows/tables.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/store.h"

#include <fmt/format.h>

#include <filesystem>

namespace holdfast::store {

namespace {

class SqliteCopyEnd final : public CopyEnd {
 public:
  explicit SqliteCopyEnd(std::unique_ptr<Db> db) : db_(std::move(db)), tables_(*db_) {}

  Sql& sql() override { return *db_; }
  Tables& tables() override { return tables_; }

  Result<void> begin() override { return db_->run("BEGIN IMMEDIATE"); }
  Result<void> end(Result<void> done) override {
    if (done) done = db_->run("COMMIT");
    if (!done && db_->in_transaction()) static_cast<void>(db_->run("ROLLBACK"));
    return done;
  }

  Result<void> put_session(SessionRow row) override {
    HF_CHECK(tables_.insert_row(row));
    for (const session::Tally& tally : row.record.tallies) HF_CHECK(add_to_tally(*db_, row.key, tally));
    return {};
  }
  Result<void> put_entry(const SqlValues& values, const session::Entry& /*entry*/) override {
    return db_->change(
        "INSERT INTO entries VALUES(?, (SELECT key FROM sessions WHERE id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        values);
  }
  Result<void> settle() override { return {}; }

 private:
  std::unique_ptr<Db> db_;
  SqliteTables tables_;
};

}  // namespace

Result<std::unique_ptr<CopyEnd>> open_sqlite_copy(const std::string& path, bool create) {
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
  return std::make_unique<SqliteCopyEnd>(std::move(db));
}

}  // namespace holdfast::store
