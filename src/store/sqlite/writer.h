#pragma once

// The one writing connection of a store, shared by all threads of the process (group commit).
//
// A caller that finds nobody writing becomes the leader: it begins a transaction, runs its own work and
// that of everyone who queued up meanwhile, each in its own savepoint, commits once (one fsync) and
// answers all of them. Who comes while the leader is busy waits for the next round. A lone writer
// therefore pays for nothing but its own commit, and sixty-four of them share one fsync.
//
// Work that fails is rolled back by itself. When SQLite rolls the whole transaction back (disk full), or
// the commit fails, every work of the round is run again, each in a transaction of its own, so that the
// failure of one is not the failure of all.
//
// When somebody has removed the log under the running process, its content is brought into the file and the next commit begins a
// new one.
//
// An exception (memory is out) fails the round it comes from and no later one: the role of the leader is always passed on.

#include "session/commit_meter.h"
#include "session/store.h"
#include "store/sqlite/context.h"
#include "store/sqlite/db.h"
#include "store/sqlite/scrub.h"

#include <sys/stat.h>

#include <array>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <string_view>

namespace holdfast::store {

// Whether the files that a connection has open are still those beside each other under the store's name.
//
// SQLite goes on with a log that somebody has removed: what is committed into it is gone with the process, and whoever opens the
// store meanwhile sees neither it nor the file as it should be. So the writer looks before each commit.
class OpenFiles {
 public:
  enum class Lost { nothing, log, store };

  explicit OpenFiles(std::string path) : path_(std::move(path)) {}

  // A connection of this process has them open now.
  void remember();
  // log: the log, or its index, is another one or none.
  Lost lost() const;

 private:
  struct Place {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const Place&) const = default;
  };
  static constexpr std::array<std::string_view, 3> kSuffixes = {"", "-wal", "-shm"};
  Place place(std::string_view suffix) const;

  std::string path_;
  std::array<Place, kSuffixes.size()> places_;
};

class Writer {
 public:
  using Work = std::function<Result<void>(session::Transaction&)>;

  // What a commit did that others may want to react to.
  struct Committed {
    std::size_t text_bytes = 0;  // appended
    bool scrubbed = false;       // old bytes had to go; the store's own files are clean already
  };
  // `on_commit` runs on the leader's thread after each successful commit, before the callers return.
  // `settings` are applied again when the file is opened anew; `on_reopen` runs then, before anything is written: other
  // connections of the process still have the former log.
  Writer(std::unique_ptr<Db> db, std::string settings, const Context& context, std::function<void(const Committed&)> on_commit,
         std::function<void()> on_reopen);

  // Any thread; waits. See session::Store::write for what `work` may do. `met_damage` is told whether it failed in a round that
  // came to damage (Db::met_damage).
  Result<void> run(const Work& work, bool& met_damage);

  // Before the first run: finishes what an earlier process could not erase from the files. True when there was something.
  bool resume_scrub();

 private:
  struct Request {
    const Work* work = nullptr;
    Result<void> outcome;
    bool met_damage = false;
    bool done = false;
    bool leads = false;
    std::condition_variable changed;
  };

  void lead(std::unique_lock<std::mutex>& lock);
  void commit_round(std::span<Request* const> batch);
  void commit_together(std::span<Request* const> batch);
  void commit_alone(Request& request);
  Result<void> begin();
  Result<void> call(const Work& work);
  Result<void> call_in_savepoint(const Work& work);
  Result<void> commit();
  void after_commit();
  void roll_back();
  Result<void> save_log();
  void finish_scrub(std::chrono::milliseconds patience);

  std::unique_ptr<Db> db_;
  Scrubber scrubber_;
  const std::string settings_;
  const Context& context_;
  std::function<void(const Committed&)> on_commit_;
  std::function<void()> on_reopen_;

  std::mutex mutex_;
  std::deque<Request*> waiting_;
  bool leading_ = false;

  // Of the leader.
  OpenFiles files_;
  std::int64_t sequence_ = 0;
  Committed pending_;
  bool scrub_due_ = false;  // an earlier scrub could not finish because of readers
};

// Work of one commit. More would make the first of them wait for work that came much later.
inline constexpr std::size_t kMaxBatch = 256;

// How long the erasing write waits for readers of other processes to end, and everybody else with it. Reads take milliseconds;
// who reads for longer has the erasure finished later.
inline constexpr std::chrono::milliseconds kScrubPatience{1000};

}  // namespace holdfast::store
