#include "base/files/file.h"

#include "base/files/in_folder.h"
#include "base/files/lock_range.h"
#include "base/files/path_below.h"
#include "base/ids.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace holdfast {
namespace {

constexpr std::size_t kReadStep = 64 * 1024;  // when the size is not known beforehand

struct Place {
  std::string folder, name;
};

Result<Place> split_place(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  Place place = slash == path.npos ? Place{".", path} : Place{path.substr(0, slash + 1), path.substr(slash + 1)};
  if (place.name.empty()) return fail(ErrorKind::invalid, "not the name of a file: \"" + path + "\"");
  return place;
}

// A file that is complete and synced but has no name yet that anybody looks for.
class TemporaryFile {
 public:
  explicit TemporaryFile(const Fd& folder) : folder_(folder), name_(".holdfast-" + random_base62(16) + ".tmp") {}
  ~TemporaryFile() {
    if (exists_) ::unlinkat(folder_.get(), name_.c_str(), 0);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  Result<void> write(std::string_view bytes, mode_t mode) {
    Fd fd(::openat(folder_.get(), name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd) return fail(system_error("temporary file", errno));
    exists_ = true;
    HF_CHECK(write_all(fd.get(), bytes));
    if (::fchmod(fd.get(), mode) != 0) return fail(system_error("mode of temporary file", errno));
    if (::fsync(fd.get()) != 0) return fail(system_error("sync temporary file", errno));
    return {};
  }

  Result<void> rename_over(const std::string& name) {
    if (::renameat(folder_.get(), name_.c_str(), folder_.get(), name.c_str()) != 0) return fail(system_error("rename", errno));
    exists_ = false;
    return {};
  }

  Result<void> rename_new_as(const std::string& name) {
    if (const int problem = rename_new(folder_.get(), name_, folder_.get(), name)) return fail(system_error("create", problem));
    exists_ = false;
    return {};
  }

 private:
  const Fd& folder_;
  std::string name_;
  bool exists_ = false;
};

enum class Publish { replace, create };

Result<void> publish(const Place& place, std::string_view bytes, mode_t mode, Publish how) {
  HF_TRY(const Fd folder, open_folder(place.folder));
  {
    TemporaryFile temporary(folder);
    HF_CHECK(temporary.write(bytes, mode));
    HF_CHECK(how == Publish::replace ? temporary.rename_over(place.name) : temporary.rename_new_as(place.name));
  }
  return sync_open_folder(folder.get(), place.folder);
}

Result<void> publish(const std::string& path, std::string_view bytes, mode_t mode, Publish how) {
  HF_TRY(const Place place, split_place(path));
  auto done = publish(place, bytes, mode, how);
  if (!done) return fail(std::move(done).error().within(path));
  return {};
}

Result<Fd> open_lock_file(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd) return fail(system_error(path, errno));
  return fd;
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return fail(system_error(path, errno));
  auto bytes = read_all(fd.get(), max_bytes);
  if (!bytes) return fail(std::move(bytes).error().within(path));
  return bytes;
}

Result<std::string> read_all(int fd, std::size_t max_bytes) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) return fail(system_error("stat", errno));
  const std::size_t expected = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
  const auto over_limit = [max_bytes] { return fail(ErrorKind::too_large, fmt::format("more than {} bytes", max_bytes)); };
  if (expected > max_bytes) return over_limit();

  // One byte more than expected, so that the end is seen without another growth.
  std::string bytes(expected + 1, '\0');
  std::size_t filled = 0;
  for (;;) {
    const ssize_t got = ::read(fd, bytes.data() + filled, bytes.size() - filled);
    if (got < 0) {
      if (errno == EINTR) continue;
      return fail(system_error("read", errno));
    }
    filled += static_cast<std::size_t>(got);
    if (filled > max_bytes) return over_limit();
    if (got == 0) break;
    if (filled == bytes.size()) bytes.resize(std::max(bytes.size() * 2, kReadStep));
  }
  bytes.resize(filled);
  return bytes;
}

Result<void> write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) {  // who gave us the descriptor may have made it non-blocking
        pollfd ready{fd, POLLOUT, 0};
        ::poll(&ready, 1, -1);
        continue;
      }
      return fail(system_error("write", errno));
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> replace_file(const std::string& path, std::string_view bytes, mode_t mode) {
  return publish(path, bytes, mode, Publish::replace);
}

Result<void> create_file(const std::string& path, std::string_view bytes, mode_t mode) {
  return publish(path, bytes, mode, Publish::create);
}

Result<void> sync_folder(const std::string& path) {
  HF_TRY(const Fd folder, open_folder(path));
  return sync_open_folder(folder.get(), path);
}

Result<void> make_private_folder(const std::string& path) {
  if (path.empty()) return fail(ErrorKind::invalid, "a folder without a name");
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), 0700) == 0) {
      // The name of a folder is lost in a power cut like any other.
      const std::size_t slash = part.find_last_not_of('/') == part.npos ? part.npos : part.rfind('/', part.find_last_not_of('/'));
      HF_CHECK(sync_folder(slash == part.npos ? "." : part.substr(0, slash + 1)));
    } else if (errno != EEXIST) {
      return fail(system_error("make folder " + part, errno));
    }
    if (end == path.npos) break;
  }
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return fail(system_error(path, errno));
  if (!S_ISDIR(status.st_mode)) return fail(ErrorKind::conflict, path + " exists and is not a folder");
  return {};
}

Result<FileLock> FileLock::acquire(const std::string& path) {
  HF_TRY(Fd fd, open_lock_file(path));
  HF_CHECK(lock_range(fd, 0, Sharing::exclusive, true));
  return FileLock(std::move(fd));
}

Result<FileLock> FileLock::try_acquire(const std::string& path) {
  HF_TRY(Fd fd, open_lock_file(path));
  HF_TRY(const bool locked, try_lock_range(fd, 0, Sharing::exclusive));
  if (!locked) return fail(ErrorKind::conflict, path + " is locked by another process");
  return FileLock(std::move(fd));
}

}  // namespace holdfast
