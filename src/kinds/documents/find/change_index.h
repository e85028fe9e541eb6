#pragma once

// Which documents of the library have pending changes, without reading every file each time (document-review §7).
//
// The files are the truth: what is remembered of one counts only while its size, inode and modification time are the same, and
// not at all when it was written so recently that another write could share that time. Kept in the state folder, so that a
// command does not begin anew; a damaged file of it is forgotten.

#include "kinds/documents/files/library.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace holdfast::documents {

class ChangeIndex {
 public:
  // trusted_after: how long ago a file must have been written for its stamp to be believed; coarser than the clock of any file
  // system in use.
  explicit ChangeIndex(std::chrono::nanoseconds trusted_after = std::chrono::seconds(2)) : trusted_after_(trusted_after) {}

  // below: a file or a folder, "" for all. In order of their paths. Thread-safe.
  Result<std::vector<Place>> documents_with_changes(Library& library, std::string_view below,
                                                    const std::function<bool()>& cancelled);
  std::size_t files_read() const { return files_read_; }  // since it was made

 private:
  struct Seen {
    std::uint64_t size = 0, inode = 0;
    std::int64_t modified_ns = 0;
    bool pending = false;
  };
  void load(Library& library);
  void save(Library& library);

  const std::chrono::nanoseconds trusted_after_;
  std::atomic<std::size_t> files_read_ = 0;
  std::mutex mutex_;
  bool loaded_ = false, changed_ = false;
  std::map<std::string, Seen, std::less<>> seen_;  // by Place::key
};

}  // namespace holdfast::documents
