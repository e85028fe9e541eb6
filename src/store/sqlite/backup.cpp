#include "store/sqlite/backup.h"

#include "base/files/fd.h"
#include "store/sqlite/db.h"
#include "store/sqlite/schema.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iterator>

namespace holdfast::store {

namespace {

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

}  // namespace

Result<void> copy_sqlite_file(const std::string& from, const std::string& to, const BackupProgress& progress) {
  HF_CHECK(copy_pages(from, to, progress));
  return settle(to);
}

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

Result<void> close_sqlite_file(const std::string& path) {
  HF_TRY(const auto db, Db::open(path, Db::Mode::read_write));
  db->set_patience(std::chrono::milliseconds(0));
  // Needs the file for itself: every process that has the store open holds a lock that this waits for.
  auto closed = db->script("PRAGMA journal_mode=DELETE");
  if (!closed && closed.error().kind == ErrorKind::unavailable)
    return fail(ErrorKind::unavailable, path + " is in use", "stop the servers that use it, then restore");
  return closed;
}

}  // namespace holdfast::store
