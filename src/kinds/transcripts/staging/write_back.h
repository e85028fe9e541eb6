#pragma once

// Has the disk begin while a large file is still being written, so that syncing it at the end is short.

#include <fcntl.h>

#include <cstdint>

namespace holdfast::transcripts {

class WriteBack {
 public:
  // After each write; `size` is what the file has by now.
  void wrote(int fd, std::uint64_t size) {
    if (size - begun_ < kBytes) return;
    // A help, never a need: whether it failed is for fsync to say.
    ::sync_file_range(fd, static_cast<off_t>(begun_), static_cast<off_t>(size - begun_), SYNC_FILE_RANGE_WRITE);
    begun_ = size;
  }

 private:
  static constexpr std::uint64_t kBytes = 8 * 1024 * 1024;  // few calls, each worth a disk's while
  std::uint64_t begun_ = 0;
};

}  // namespace holdfast::transcripts
