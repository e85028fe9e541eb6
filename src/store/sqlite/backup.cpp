#include "store/sqlite/backup.h"

#include "base/fd.h"
#include "store/sqlite/db.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

namespace holdfast::store {

Result<void> copy_sqlite_file(const std::string& from, const std::string& to, const BackupProgress& progress) {
  if (::access(from.c_str(), F_OK) != 0) return fail(ErrorKind::not_found, fmt::format("there is no store {}", from));
  {
    HF_TRY(const auto source, Db::open(from, Db::Mode::read_only));
    // One moment for the whole copy. Without it SQLite would begin anew whenever another process commits, and under a steady load
    // never come to an end.
    HF_CHECK(source->run("BEGIN"));
    HF_TRY(const auto version, source->number("SELECT count(*) FROM meta"));
    static_cast<void>(version);
    HF_TRY(const auto target, Db::open(to, Db::Mode::create));
    HF_CHECK(target->script("PRAGMA synchronous=OFF"));  // synced once, below
    HF_CHECK(source->copy_to(*target, progress));
    HF_CHECK(target->script("PRAGMA journal_mode=DELETE"));
  }
  const Fd file(::open(to.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || ::fsync(file.get()) != 0) return fail(system_error("syncing " + to, errno));
  return {};
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
