#pragma once

// Something known of every file of a library, found out again only for files that changed.
//
// Whether a file changed is told by its size, inode and modification time. A file that was modified moments before it was read
// may change again within the same tick of the clock, so it is read again next time. Not thread-safe.

#include "base/run/parallel.h"
#include "kinds/documents/text/view_reader.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace holdfast::documents {

// Coarse file systems count in seconds, the coarsest in two.
inline constexpr std::chrono::nanoseconds kUntrustedAge = std::chrono::seconds{2};

template <class Known>
class StampedFiles {
 public:
  using Pointer = std::shared_ptr<const Known>;
  // On several threads, each with its own reader. Keep: false when it shall be found out anew next time.
  using Find = std::function<Pointer(ViewReader& reader, const WalkedFile& file, bool& keep)>;

  struct Updated {
    std::vector<Pointer> known;  // one a file, in their order; null where nothing was found
    bool changed = false;        // anything is not as it was at the last update
  };

  // Errors: cancelled; what was found out until then is kept.
  Result<Updated> update(Library& library, const Overlay& overlay, const std::vector<WalkedFile>& files, const Find& find,
                         const std::function<bool()>& cancelled) {
    const std::int64_t now = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
    std::vector<Entry> fresh(files.size());
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < files.size(); ++i) {
      const WalkedFile& file = files[i];
      const bool proposed = !file.place.reviewed && overlay.may_propose(file.place.key);
      const auto before = entries_.find(file.place.key);
      if (before != entries_.end() && before->second.keep && !proposed && before->second.is_of(file)) {
        fresh[i] = before->second;
      } else {
        fresh[i].set_stamp(file);
        fresh[i].keep = !proposed && file.modified_ns < now - kUntrustedAge.count();
        missing.push_back(i);
      }
    }
    Updated updated;
    updated.changed = interrupted_ || !missing.empty() || files.size() != entries_.size();
    const auto make_worker = [&]() -> Worker {
      auto reader = std::make_shared<ViewReader>(library, overlay);
      return [&, reader](std::size_t item) {
        Entry& entry = fresh[missing[item]];
        bool keep = true;
        entry.known = find(*reader, files[missing[item]], keep);
        entry.keep = entry.keep && keep;
        entry.done = true;
        return true;
      };
    };
    for (Entry& entry : fresh) entry.done = entry.known != nullptr;
    const bool finished = work_in_parallel(missing.size(), threads_for_files(missing.size()), "documents", make_worker,
                                           [&] { return !cancelled || !cancelled(); });
    entries_.clear();
    for (std::size_t i = 0; i < files.size(); ++i) {
      updated.known.push_back(fresh[i].known);
      if (fresh[i].done) entries_.emplace(files[i].place.key, std::move(fresh[i]));
    }
    interrupted_ = !finished;
    if (interrupted_) return fail(ErrorKind::cancelled, "stopped while reading the library");
    return updated;
  }

 private:
  struct Entry {
    std::uint64_t size = 0, inode = 0;
    std::int64_t modified_ns = 0;
    bool keep = false, done = false;
    Pointer known;

    bool is_of(const WalkedFile& file) const {
      return size == file.size && inode == file.inode && modified_ns == file.modified_ns;
    }
    void set_stamp(const WalkedFile& file) {
      size = file.size;
      inode = file.inode;
      modified_ns = file.modified_ns;
    }
  };
  std::unordered_map<std::string, Entry> entries_;
  bool interrupted_ = false;  // the last update: nobody saw what it found
};

}  // namespace holdfast::documents
