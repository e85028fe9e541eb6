#pragma once

// The search as this program offers it: transcripts of this user (also those the guard alone still has), the index in the data
// folder, and what a request may see of the store. Any thread.

#include "base/run/ticker.h"
#include "cli/program/context.h"
#include "search/index/passages.h"
#include "search/index/text_index.h"
#include "session/blobs.h"
#include "session/query/finder.h"

#include <mutex>
#include <optional>

namespace holdfast::transcripts {
struct Homes;
}

namespace holdfast::cli {

class SearchService {
 public:
  // The homes outlive it. A guard that cannot be opened is logged and done without. `stays`: the
  // process searches again and again, so it keeps what it knows of the files.
  static Result<std::unique_ptr<SearchService>> open(const Context& context, const transcripts::Homes& homes, bool stays);
  ~SearchService();
  SearchService(const SearchService&) = delete;
  SearchService& operator=(const SearchService&) = delete;

  session::Finder& finder() { return *finder_; }
  search::TextIndex& index() { return *index_; }
  search::PassageSources& sources() { return *sources_; }
  session::Blobs* guard() { return guard_.get(); }

  // Brings the index up to date from now on, in a thread of its own; once is enough.
  void keep_up();

  // As it was after the last look of keep_up(): for /metrics.
  struct Condition {
    Millis updated_at = 0;  // the index, by this process; 0: not yet
    search::IndexState index;
    session::Blobs::State guard;
    Millis kept_at = 0;  // by the guard, most recently; 0: never
  };
  Condition condition() const;

  static std::string index_folder(const Context& context) { return context.folders.data + "/index"; }

 private:
  SearchService() = default;
  void follow(const std::stop_token& stop);
  void look_at_condition(bool updated);

  const Clock* clock_ = nullptr;
  std::unique_ptr<session::Blobs> guard_;
  std::unique_ptr<search::TextIndex> index_;
  std::unique_ptr<search::PassageSources> sources_;
  std::unique_ptr<session::Finder> finder_;
  std::once_flag keeping_up_;
  mutable std::mutex mutex_;
  Condition condition_;                 // guarded by mutex_
  std::int64_t guard_generation_ = -1;  // of condition_; only the follower asks
  std::optional<Ticker> follower_;      // the last to be made
};

}  // namespace holdfast::cli
