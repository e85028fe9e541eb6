#pragma once

// Advisory locks on single bytes of an open file, held until it is closed: also against other descriptors of this process, and
// given back by the kernel when a process dies.

#include "base/files/fd.h"
#include "base/result.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>

namespace holdfast {

enum class Sharing { shared, exclusive };

// False when somebody else holds it and we do not wait.
inline Result<bool> lock_range(const Fd& file, off_t byte, Sharing sharing, bool wait) {
  struct flock range{};
  range.l_type = sharing == Sharing::shared ? F_RDLCK : F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = byte;
  range.l_len = 1;
  for (;;) {
    if (::fcntl(file.get(), wait ? F_OFD_SETLKW : F_OFD_SETLK, &range) == 0) return true;
    if (errno == EAGAIN || errno == EACCES) return false;
    if (errno != EINTR) return fail(system_error("lock", errno));
  }
}

inline Result<bool> try_lock_range(const Fd& file, off_t byte, Sharing sharing) {
  return lock_range(file, byte, sharing, false);
}

// Whether somebody holds it, without taking it. When that cannot be known, somebody does.
inline bool is_range_locked(const Fd& file, off_t byte) {
  struct flock range{};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = byte;
  range.l_len = 1;
  return ::fcntl(file.get(), F_OFD_GETLK, &range) != 0 || range.l_type != F_UNLCK;
}

// Files of locks may be swept away. Who has locked one has to see that it still is the one others will lock.
inline bool still_named(const Fd& file, const std::string& path) {
  struct stat held{}, named{};
  return ::fstat(file.get(), &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

}  // namespace holdfast
