#pragma once

// Whole files, written so that a crash leaves the old content or the new, never a mixture.

#include "base/files/fd.h"
#include "base/result.h"

#include <sys/types.h>

#include <string>
#include <string_view>

namespace holdfast {

// Errors: not_found, refused, too_large (more than max_bytes), io.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes = 64 * 1024 * 1024);
Result<std::string> read_all(int fd, std::size_t max_bytes);
// Retries short writes and EINTR, and waits where a non-blocking descriptor would not take more.
Result<void> write_all(int fd, std::string_view bytes);

// Writes a temporary file beside path, fsyncs it, renames it over path, fsyncs the folder. When
// it returns an error, path is what it was before, unless syncing the folder was what failed: then it
// is new, but may be old again after a power cut. A symbolic link is replaced, not followed. mode is
// exact, whatever the umask.
Result<void> replace_file(const std::string& path, std::string_view bytes, mode_t mode = 0600);
// Same, but fails with conflict when path exists already; of two callers at once one wins.
Result<void> create_file(const std::string& path, std::string_view bytes, mode_t mode = 0600);

Result<void> sync_folder(const std::string& path);
// And its parents, mode 0700 and synced; folders that exist already stay as they are.
Result<void> make_private_folder(const std::string& path);

// An advisory lock on a file, held until destruction, also against other processes and other
// descriptors of this one. The file is made when missing and never removed: removing it would let two
// callers lock two different files of one name.
class FileLock {
 public:
  static Result<FileLock> acquire(const std::string& path);      // waits
  static Result<FileLock> try_acquire(const std::string& path);  // conflict when held elsewhere

 private:
  explicit FileLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

}  // namespace holdfast
