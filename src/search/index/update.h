#pragma once

// Bringing the index up to date: who reads what, when it is written, what is merged.
//
// The threads take turns at the sources, newest first, a batch at a time; the next batch of a source can be read as soon as the
// one before is copied, so one huge source keeps all of them busy. When one of the segments in the making is full, all finish
// their batch and write theirs, and one manifest names them together with how far each source is: no crash can leave a hole.

#include "base/files/file.h"
#include "search/index/index_view.h"
#include "search/index/segment/segment_builder.h"
#include "search/index/segment/segment_merge.h"
#include "search/index/text_index.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>

namespace holdfast::search {

// The files of an index, for the one that may write them. Not threadsafe.
class IndexWriter {
 public:
  // conflict: another process (or thread) writes, for longer than `patience`.
  static Result<IndexWriter> open(const std::string& folder, std::uint64_t segment_text, std::chrono::milliseconds patience = {});

  std::uint64_t segment_text() const { return segment_text_; }

  Manifest& manifest() { return manifest_; }
  std::string next_segment_path() { return segment_path(folder_, manifest_.next_segment); }
  void add_segment(const WrittenSegment& written);  // under the number of next_segment_path()
  Result<void> commit();
  // Merges segments of about the same size, and writes those anew that have many dead blocks; each step is committed.
  Result<void> merge_small(const std::stop_token& stop);
  // Writes every segment anew that has any dead block, or one of what was erased; each step is committed.
  Result<void> forget(const TextIndex::Erased& erased);
  // An empty index with a seed of its own.
  Result<void> clear();

 private:
  IndexWriter(std::string folder, std::uint64_t segment_text, FileLock lock)
      : folder_(std::move(folder)), segment_text_(segment_text), lock_(std::move(lock)) {}
  Result<void> start();
  void remove_unlisted() const;
  std::vector<BlockSet> alive() const;  // by segment
  Result<void> merge(const std::vector<std::size_t>& which, const std::vector<BlockSet>& kept);
  std::vector<std::size_t> worth_merging(const std::vector<BlockSet>& alive) const;

  std::string folder_;
  std::uint64_t segment_text_;
  FileLock lock_;
  Manifest manifest_;
  std::vector<std::shared_ptr<const Segment>> segments_;  // as in the manifest, since open_segments()
  std::map<std::uint64_t, std::shared_ptr<const Segment>> segments_by_number_;
  Result<void> open_segments();
};

class Updater {
 public:
  Updater(IndexWriter& writer, PassageSources& sources, const std::function<void(const TextIndex::Progress&)>& progress,
          std::stop_token stop)
      : writer_(writer), sources_(sources), progress_(progress), stop_(std::move(stop)) {}

  Result<void> run();

 private:
  struct Work {
    Source source;
    std::size_t entry = 0;  // in the manifest
    PassageSources::Position position;
  };
  struct Outcome {
    Result<WrittenSegment> written = WrittenSegment{};
    bool empty = true;
  };

  Result<bool> reconcile();  // whether the manifest changed
  bool worth_sealing() const;
  Result<void> round();
  void work(SegmentBuilder& builder, const std::string& path, Outcome& outcome);
  bool take(Work& work);
  void give_back(Work work, const Result<PassageSources::Position>& next, std::size_t text_bytes);

  IndexWriter& writer_;
  PassageSources& sources_;
  const std::function<void(const TextIndex::Progress&)>& progress_;
  const std::stop_token stop_;

  std::uint64_t never_indexed_ = 0;  // sources
  std::vector<std::unique_ptr<SegmentBuilder>> builders_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> waiting_;
  std::size_t readers_ = 0;  // may bring back what they took
  bool over_ = false;        // this round: no further batches
  TextIndex::Progress done_;
};

}  // namespace holdfast::search
