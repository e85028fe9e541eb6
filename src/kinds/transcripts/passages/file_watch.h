#pragma once

// What happened to files and folders since one last asked (inotify), for whoever keeps what he knows of them.
//
// The kernel notes a write, a new name, a removal before the call that made it returns, so who asks afterwards is told, whatever
// process did it and, as files are watched themselves, under whichever of their names. Not noted are writes to mapped memory
// until it is unmapped, and what happens on file systems that others write to as well: such folders are not watched. That a mount
// has changed what paths mean is told, too.
//
// Watches are the user's, and few on some systems: editors need theirs. One thread.

#include "base/files/fd.h"
#include "kinds/transcripts/home/any_session.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace holdfast::transcripts {

// Tells which transcripts changed, as clients write them or remove them, from a thread of its own.

class TranscriptWatch {
 public:
  // Called on the watch's thread with the id of each session that changed; an empty one: something did, look at everything.
  using Changed = std::function<void(const std::string& id)>;
  // `homes` lives longer. Errors: unavailable (the system gives out no more watchers), io.
  static Result<std::unique_ptr<TranscriptWatch>> start(const Homes& homes, Changed changed);
  ~TranscriptWatch();  // waits for the thread; nothing is told afterwards

 private:
  explicit TranscriptWatch(Fd stop) : stop_(std::move(stop)) {}

  Fd stop_;
  std::jthread thread_;
};

class FileWatch {
 public:
  // A share of what the system grants the user: several processes of ours watch, and so do others.
  static std::size_t fair_share();
  // nullptr: the system gives out no more watchers, or does not tell of mounts.
  static std::unique_ptr<FileWatch> open(std::size_t most_watches);

  // From now on; the number is the same for the same folder or file, and each call needs a drop(). -1: cannot be watched.
  int add_folder(const Fd& folder);
  int add_file(const Fd& folder, const std::string& path);  // below the folder; a link is not followed
  void drop(int number);
  // A folder or file was not watched because there are too many.
  bool is_exhausted() const { return exhausted_; }
  std::size_t count() const { return users_.size(); }

  struct Event {
    int number = -1;
    std::string name;      // in a watched folder something happened to this name; empty: to what is watched itself
    bool written = false;  // to a file that may still be open
    bool closed = false;   // by somebody who could write
    bool ended = false;    // it is watched no longer, or has moved
  };
  // What happened before the call. False: some of it is not known, or paths mean something else.
  bool take(std::vector<Event>& events);

 private:
  FileWatch(Fd queue, Fd mounts, std::size_t most) : queue_(std::move(queue)), mounts_(std::move(mounts)), most_(most) {}
  int add(const std::string& path, std::uint32_t events);
  bool mounts_have_changed();

  Fd queue_, mounts_;
  std::size_t most_;
  bool exhausted_ = false;
  std::unordered_map<int, unsigned> users_;  // of each watch
  std::vector<char> buffer_;
};

}  // namespace holdfast::transcripts
