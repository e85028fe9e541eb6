#pragma once

// What the file system knows of a file, by which a change is noticed without reading it.

#include "kinds/documents/files/document_file.h"

#include <sys/stat.h>

namespace holdfast::documents {

inline std::int64_t modified_ns(const struct stat& status) {
  return status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec;
}

inline void stamp(FileState& state, const struct stat& status) {
  state.device = status.st_dev;
  state.inode = status.st_ino;
  state.size = static_cast<std::uint64_t>(status.st_size);
  state.modified_ns = modified_ns(status);
  state.names = status.st_nlink;
}

inline bool same_stamp(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size && modified_ns(a) == modified_ns(b);
}

inline bool same_stamp(const FileState& state, const struct stat& status) {
  return state.device == status.st_dev && state.inode == status.st_ino &&
         state.size == static_cast<std::uint64_t>(status.st_size) && state.modified_ns == modified_ns(status);
}

}  // namespace holdfast::documents
