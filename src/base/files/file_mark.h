#pragma once

// A file as it was when it was looked at: by this it is noticed that somebody wrote to it, without reading it.
//
// The device is no part of it: device numbers change with a reboot. Who compares makes sure that both lie in one file system.

#include <sys/stat.h>

#include <cstdint>

namespace holdfast {

struct FileMark {
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  bool operator==(const FileMark&) const = default;
};

inline FileMark mark_of(const struct stat& status) {
  return {status.st_ino, static_cast<std::uint64_t>(status.st_size),
          status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec};
}

}  // namespace holdfast
