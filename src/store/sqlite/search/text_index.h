#pragma once

// The full-text index: a cache beside the store, in a file of its own ("<store>.index") that may be
// deleted at any time.
//
// It covers ranges of store-wide sequence numbers: those of entries, and of records by the number of their last change. Each
// range is a segment, with an FTS5 table for either. Whatever it does not cover is scanned by the search, so the index is never
// waited for: it is fed by a thread that runs when there is enough to do and ends afterwards. Segments keep no text, only words;
// an erasure in the store drops the segments it touches, and their ranges are fed again.
//
// An entry has its number for good. A record gets another one with every change; the words of its former versions stay under
// numbers that no record has any more, and which session they were of is kept beside them, so that they go when it is erased.
//
// Nothing here is ever an error for a caller: an index that cannot be read is removed and starts anew.

#include "search/index/text_search.h"
#include "store/sqlite/context.h"
#include "store/sqlite/db.h"
#include "store/sqlite/read_pool.h"

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace holdfast::store {

// Text of one segment: few enough of them to ask them all, small enough to be fed again after an erasure.
inline constexpr std::int64_t kSegmentBytes = 32 * 1024 * 1024;
// Text of one commit of the feeder: bounds its memory, and how long closing the store may have to wait.
inline constexpr std::size_t kFeedBytes = 2 * 1024 * 1024;

// What is fed comes to stand in trees of its own, each of which a search asks. They are made one when they hold this part of a
// segment's text (one in so many), piece by piece: pages of the index in one commit.
inline constexpr std::int64_t kMergePart = 4;
inline constexpr int kMergePages = 256;

struct Segment {
  std::int64_t number = 0;
  std::int64_t first = 0;  // sequence numbers, inclusive
  std::int64_t last = 0;
  std::int64_t bytes = 0;
  std::int64_t merged = 0;  // of these bytes, those that stand in one tree
};

// The two tables of a segment.
enum class Indexed { entries, records };

class TextIndex {
 public:
  TextIndex(const Context& context, ReadPool& readers, std::int64_t segment_bytes = kSegmentBytes)
      : context_(context), readers_(readers), segment_bytes_(segment_bytes) {}
  ~TextIndex();  // waits for the feeder to finish its batch

  // Segments in falling order of their ranges; empty when there is no usable index. Who looks for records asks before the
  // transaction begins in which they are read: a segment that was fed later may have a record under a number it got later.
  std::vector<Segment> segments();
  // Calls on_number with the sequence numbers of entries or records that match, and perhaps of some that do not, falling, until
  // it returns false. False when the segment could not be read, or cannot tell; then scan its range instead.
  bool find(const Segment& segment, Indexed what, const std::vector<search::WordTerm>& words,
            const std::function<bool(std::int64_t)>& on_number);

  // Starts the feeder unless it runs already. Any thread.
  void feed_soon();
  // All there is, on this thread; ends early when another process feeds, or when this is being destroyed.
  void feed();

  // After an erasure was committed: no word of it remains in the index file when this returns true. False when another process
  // reads or feeds for longer than we wait; then it is to be called again, and the next feeding does the same.
  bool forget_erased(std::chrono::milliseconds patience);

  std::int64_t bytes() const;  // of the file

 private:
  Result<std::unique_ptr<Db>> open(bool create);
  Db* reading_db();  // under mutex_
  Result<bool> may_be_in(Db& index, const Segment& segment, Indexed what,
                         const std::vector<search::WordTerm>& words);  // under mutex_
  Result<bool> feed_batch(Db& index);                                  // false: nothing left
  Result<void> tidy(Db& index);
  Result<void> write_filters(Db& index, const Segment& segment);
  Result<void> merge_table(Db& index, std::string_view table);
  Result<bool> drop_erased(Db& index);  // false: old words are still in the log
  static Result<bool> finish_scrub(Db& index);
  void discard(const Error& error);
  std::string path() const { return context_.path + ".index"; }

  const Context& context_;
  ReadPool& readers_;
  const std::int64_t segment_bytes_;

  struct Filters {
    std::string words;
    std::string records;
  };
  std::mutex mutex_;  // the connection for reading, and what was read over it
  std::unique_ptr<Db> db_;
  std::map<std::int64_t, Filters> filters_;  // of segments, by their number

  std::mutex feeder_mutex_;
  std::thread feeder_;
  std::atomic<bool> feeding_ = false;
  std::atomic<bool> closing_ = false;
};

}  // namespace holdfast::store
