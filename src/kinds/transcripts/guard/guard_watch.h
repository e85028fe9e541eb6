#pragma once

// What changes in the homes, as it happens (inotify): which guarded files were written, once they have been quiet for a moment.
//
// New folders are watched as they appear, also a home that is made later: until then the nearest folder above it is watched. What
// is removed counts as a change, too. What slips through (a queue that overflowed, a folder nobody may watch, a home on a
// network) is found by the full pass that whoever waits makes from time to time. One thread.

#include "base/files/fd.h"
#include "kinds/transcripts/guard/guard_files.h"

#include <chrono>
#include <map>
#include <set>
#include <unordered_map>

namespace holdfast::transcripts {

class GuardWatch {
 public:
  // A line that is being written comes in pieces: wait until nothing more came for this long, but not for ever.
  static constexpr std::chrono::milliseconds kQuiet{200}, kLongest{2000};

  // `homes` lives longer. Errors: unavailable (the system gives out no more watchers).
  static Result<std::unique_ptr<GuardWatch>> open(const Homes& homes);

  // Watches every folder there is; those that are watched stay so. Once before wait(), and with every full pass.
  void watch_all();
  // Folders that could not be watched, for want of watches or permission.
  std::size_t unwatched() const { return unwatched_; }

  struct News {
    std::vector<GuardedFile> files;
    bool all = false;      // something was missed: look at everything
    bool stopped = false;  // `stop` became readable
  };
  Result<News> wait(std::chrono::milliseconds at_most, int stop);

 private:
  struct Watched {
    Product product;
    std::string folder;  // empty: the home itself
  };
  GuardWatch(const Homes& homes, Fd queue) : homes_(homes), queue_(std::move(queue)) {}
  bool watch(Product product, const std::string& folder);
  bool watch_home(Product product, std::set<GuardedFile>& found);
  bool watch_above(Product product);
  void watch_below(Product product, const std::string& folder, std::set<GuardedFile>& found);
  Result<void> take_events(std::set<GuardedFile>& changed, bool& missed);

  const Homes& homes_;
  Fd queue_;
  std::unordered_map<int, Watched> watched_;
  // Folders above homes that are not there, and what must appear in them on the way.
  std::map<std::pair<int, Product>, std::string> awaited_;
  std::size_t unwatched_ = 0;
};

}  // namespace holdfast::transcripts
