#include "store/backup.h"

#include "base/files/fd.h"
#include "base/files/file.h"
#include "base/run/clock.h"
#include "store/open.h"
#include "store/sqlite/db.h"
#include "store/sqlite/mend.h"
#include "store/sqlite/schema.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iterator>

namespace holdfast::store {

namespace {

Result<std::string> path_of(const std::string& url) {
  if (url.starts_with(kSqliteScheme) && url.size() > kSqliteScheme.size()) return url.substr(kSqliteScheme.size());
  return fail(ErrorKind::refused, "this store is not a file",
              "a database has its own backups (pg_dump, docs/postgres.md); holdfast store copy makes a file of it, too");
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

bool exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

// Removes what is left of a copy unless it got its name.
class Unfinished {
 public:
  explicit Unfinished(std::string path) : path_(std::move(path)) {}
  ~Unfinished() { remove(); }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  const std::string& path() const { return path_; }
  // The name must not be taken meanwhile.
  Result<void> give_name(const std::string& name) {
    if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) != 0)
      return fail(system_error(name, errno));
    return sync_folder(folder_of(name));
  }
  void remove() const {
    for (const char* suffix : {"", "-journal", "-wal", "-shm"}) ::unlink((path_ + suffix).c_str());
  }

 private:
  std::string path_;
};

std::int64_t size_of(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? status.st_size : 0;
}

// Every page, damaged or not.
Result<void> copy_pages(const std::string& from, const std::string& to, const BackupProgress& progress) {
  if (::access(from.c_str(), F_OK) != 0) return fail(ErrorKind::not_found, fmt::format("there is no store {}", from));
  HF_TRY(const auto source, Db::open_to_read(from));
  // One moment for the whole copy. Without it SQLite would begin anew whenever another process commits, and under a steady load
  // never come to an end.
  HF_CHECK(source->run("BEGIN"));
  HF_TRY(const auto looked, source->number("SELECT count(*) FROM sqlite_schema"));
  static_cast<void>(looked);
  HF_TRY(const auto target, Db::open(to, Db::Mode::create));
  HF_CHECK(target->script("PRAGMA synchronous=OFF"));  // synced once, when it is whole
  return source->copy_to(*target, progress);
}

// One file without a log beside it, on the disk.
Result<void> settle(const std::string& path) {
  {
    HF_TRY(const auto db, Db::open(path, Db::Mode::read_write));
    HF_CHECK(db->script("PRAGMA synchronous=OFF; PRAGMA journal_mode=DELETE"));
  }
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || ::fsync(file.get()) != 0) return fail(system_error("syncing " + path, errno));
  return {};
}

// `from` as it is at one moment, whoever writes to it meanwhile, into the new file `to` (mode 0600): one file without a log,
// synced. `from` is only read. Errors: not_found, io, corrupt (not a store).
Result<void> copy_sqlite_file(const std::string& from, const std::string& to, const BackupProgress& progress) {
  HF_CHECK(copy_pages(from, to, progress));
  return settle(to);
}

// The same of a file that is damaged, with its trees made anew in the copy where something of them cannot be read.
Result<Mended> salvage_sqlite_file(const std::string& from, const std::string& to, const BackupProgress& progress) {
  HF_CHECK(copy_pages(from, to, progress));
  HF_TRY(Mended mended, mend_trees(to, {}, kDefaultPatience));
  {
    HF_TRY(const auto db, Db::open(to, Db::Mode::read_write));
    HF_TRY(std::vector<std::string> lost, replace_lost_identity(*db));
    std::ranges::move(lost, std::back_inserter(mended.losses));
    HF_CHECK(db->script("PRAGMA synchronous=OFF; VACUUM"));  // without the pages of the trees that were damaged
  }
  HF_CHECK(settle(to));
  return mended;
}

// Folds the log into the file, so that it may be renamed by itself. unavailable while any other process has it open.
Result<void> close_sqlite_file(const std::string& path) {
  HF_TRY(const auto db, Db::open(path, Db::Mode::read_write));
  db->set_patience(std::chrono::milliseconds(0));
  // Needs the file for itself: every process that has the store open holds a lock that this waits for.
  auto closed = db->script("PRAGMA journal_mode=DELETE");
  if (!closed && closed.error().kind == ErrorKind::unavailable)
    return fail(ErrorKind::unavailable, path + " is in use", "stop the servers that use it, then restore");
  return closed;
}

Result<session::Integrity> check_copy(const Unfinished& copy) {
  OpenOptions options;
  options.read_only = true;
  HF_TRY(const auto store, open_store(std::string(kSqliteScheme) + copy.path(), options));
  return store->integrity();
}

// A whole copy beside `name`, verified and on the disk.
Result<Backup> copy_beside(const std::string& from, const Unfinished& copy, const BackupProgress& progress) {
  copy.remove();  // of one that was broken off
  HF_CHECK(copy_sqlite_file(from, copy.path(), progress));
  HF_TRY(const session::Integrity integrity, check_copy(copy));
  return Backup{integrity.sessions, integrity.entries, size_of(copy.path()), integrity.ok, {}};
}

Error exists_already(const std::string& path, std::string hint) {
  return make_error(ErrorKind::conflict, path + " exists already", std::move(hint));
}

}  // namespace

Result<Backup> back_up(const std::string& url, const std::string& file, const BackupProgress& progress) {
  HF_TRY(const std::string path, path_of(url));
  if (exists(file)) return fail(exists_already(file, "a backup overwrites nothing; choose another name"));
  Unfinished copy(file + ".part");
  HF_TRY(Backup made, copy_beside(path, copy, progress));
  HF_CHECK(copy.give_name(file));
  return made;
}

Result<Salvaged> salvage(const std::string& url, const std::string& file, const BackupProgress& progress) {
  HF_TRY(const std::string path, path_of(url));
  if (exists(file)) return fail(exists_already(file, "what can be read goes into a new file; choose another name"));
  Unfinished copy(file + ".part");
  copy.remove();  // of one that was broken off
  HF_TRY(Mended mended, salvage_sqlite_file(path, copy.path(), progress));
  HF_TRY(session::Integrity integrity, check_copy(copy));
  Salvaged made{integrity.sessions,      integrity.entries,        size_of(copy.path()),
                std::move(mended.trees), std::move(mended.losses), std::move(integrity.damaged)};
  made.losses.insert(made.losses.end(), integrity.problems.begin(), integrity.problems.end());
  HF_CHECK(copy.give_name(file));
  return made;
}

Result<Backup> restore(const std::string& file, const std::string& url, const RestoreRules& rules,
                       const BackupProgress& progress) {
  HF_TRY(const std::string path, path_of(url));
  if (exists(path) && !rules.replace)
    return fail(exists_already(path, "--replace puts it aside and restores; stop the servers that use it first"));
  HF_CHECK(make_private_folder(folder_of(path)));
  Unfinished copy(path + ".restored");
  HF_TRY(Backup made, copy_beside(file, copy, progress));
  if (!made.sound && !rules.with_damage)
    return fail(ErrorKind::corrupt, file + " is damaged; nothing was restored",
                "holdfast store verify --store sqlite:FILE says what is damaged; --with-damage takes it as it is");
  if (exists(path)) {
    HF_CHECK(close_sqlite_file(path));
    made.put_aside = fmt::format("{}.before-{}", path, iso8601(SystemClock().now()));
    if (::renameat2(AT_FDCWD, path.c_str(), AT_FDCWD, made.put_aside.c_str(), RENAME_NOREPLACE) != 0)
      return fail(system_error(made.put_aside, errno));
  }
  // The index is a cache of the store that was there. Its numbers mean other entries in this one.
  std::error_code ignored;
  for (const char* suffix : {"-wal", "-shm", ".index", ".index-wal", ".index-shm"})
    std::filesystem::remove_all(path + suffix, ignored);
  if (auto named = copy.give_name(path); !named) {
    if (!made.put_aside.empty()) static_cast<void>(::rename(made.put_aside.c_str(), path.c_str()));
    return fail(std::move(named).error());
  }
  return made;
}

}  // namespace holdfast::store
