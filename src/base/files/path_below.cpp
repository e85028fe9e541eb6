#include "base/files/path_below.h"

#include "base/files/path_below_detail.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>

namespace holdfast {
namespace {

// The kernel gives up with EAGAIN when something was renamed while it resolved "..". Someone who
// renames in a loop must not keep us here.
constexpr int kMaxTries = 64;

constexpr mode_t kModeBits = 07777;  // openat2 refuses others

bool needs_mode(int flags) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

Error error_for(const std::string& relative, int error_number) {
  if (error_number == EXDEV) return make_error(ErrorKind::refused, relative + ": leads out of the folder");
  if (error_number == ELOOP) return make_error(ErrorKind::refused, relative + ": a symbolic link that may not be followed");
  return system_error(relative, error_number);
}

bool is_link(int folder, const std::string& name) {
  struct stat status{};
  return ::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
}

}  // namespace

namespace detail {

int open_below_by_kernel(int folder, const std::string& relative, int flags, mode_t mode, Links links) {
  struct open_how how{};
  how.flags = static_cast<unsigned>(flags | O_CLOEXEC);
  how.mode = needs_mode(flags) ? mode & kModeBits : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  if (links == Links::refuse) how.resolve |= RESOLVE_NO_SYMLINKS;
  int fd = -1;
  for (int tries = 0; tries < kMaxTries; ++tries) {
    fd = static_cast<int>(::syscall(SYS_openat2, folder, relative.c_str(), &how, sizeof how));
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) break;
  }
  return fd;
}

Result<Fd> open_below_by_walking(int folder, const std::string& relative, int flags, mode_t mode) {
  // A link as the last component is only opened by a caller who asked for the link itself.
  const bool link_itself = (flags & O_PATH) != 0 && (flags & O_NOFOLLOW) != 0;
  if (relative.ends_with('/')) flags |= O_DIRECTORY;

  Fd held;
  int current = folder;
  std::string last = ".";
  for (std::size_t begin = 0; begin < relative.size();) {
    const std::size_t end = std::min(relative.find('/', begin), relative.size());
    std::string name = relative.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty() || name == ".") continue;
    if (name == "..") return fail(error_for(relative, EXDEV));
    if (last != ".") {
      Fd next(::openat(current, last.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (!next) {
        const int error_number = errno;
        return fail(error_for(relative, is_link(current, last) ? ELOOP : error_number));
      }
      held = std::move(next);
      current = held.get();
    }
    last = std::move(name);
  }

  Fd fd(::openat(current, last.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, mode & kModeBits));
  if (!fd) {
    const int error_number = errno;
    return fail(error_for(relative, is_link(current, last) && error_number == ENOTDIR ? ELOOP : error_number));
  }
  struct stat status{};
  if (!link_itself && ::fstat(fd.get(), &status) == 0 && S_ISLNK(status.st_mode)) return fail(error_for(relative, ELOOP));
  return fd;
}

}  // namespace detail

Result<Fd> open_folder(const std::string& path) {
  Fd fd(::open(path.c_str(), kFolderFlags));
  if (!fd) return fail(system_error(path, errno));
  return fd;
}

Result<Fd> open_below(const Fd& folder, std::string_view relative, int flags, mode_t mode, Links links) {
  if (relative.empty()) return fail(ErrorKind::invalid, "an empty path");
  if (relative.find('\0') != relative.npos) return fail(ErrorKind::invalid, "a path with a NUL character");
  if (relative.starts_with('/')) return fail(ErrorKind::invalid, "not a relative path: " + std::string(relative));
  const std::string path(relative);
  Fd fd(detail::open_below_by_kernel(folder.get(), path, flags, mode, links));
  if (fd) return fd;
  // EPERM is what a sandbox answers for a call it does not know. When it was meant, the walk meets it again.
  if (errno == ENOSYS || errno == EPERM) return detail::open_below_by_walking(folder.get(), path, flags, mode);
  return fail(error_for(path, errno));
}

}  // namespace holdfast
