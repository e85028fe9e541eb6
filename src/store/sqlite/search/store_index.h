#pragma once

// The index of a store: entries and records are rows of two sources of the text index (search/index/text_index.h), in the folder
// "<store>.index" that may be deleted at any time. An entry stands under its sequence number, a record under the number of its
// last change.
//
// What is not indexed is scanned by the search, so the index is never waited for: it is fed by a thread that runs when there is
// enough to do and ends afterwards. A record that was changed has another number; words of its former versions stay under numbers
// that no record has any more. Every row is marked with its session, so that all of them go when it is erased; the file
// "erasures" in the folder says up to which erasure that was done.
//
// Nothing here is ever an error for a caller: an index that cannot be read is made anew.

#include "search/index/places.h"
#include "store/sqlite/context.h"
#include "store/sqlite/db.h"
#include "store/sqlite/read_pool.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace holdfast::store {

inline constexpr std::string_view kEntryRows = "entries", kRecordRows = "records";  // the sources

// How long an erasure waits for a feeder, which ends after its batch when it sees one: tenths of a second, more on a busy
// machine.
inline constexpr std::chrono::milliseconds kForgetPatience{5000};

class StoreIndex {
 public:
  // Its end waits for the feeder to finish its batch.
  StoreIndex(const Context& context, ReadPool& readers);

  // What is indexed of the store as `db` sees it. The first that is asked in its transaction: with an index that was fed later, a
  // record might be neither under its number of then nor under that of now.
  Result<std::shared_ptr<const search::Division>> divide(Db& db);

  // Starts the feeder unless it runs already. Any thread.
  void feed_soon();
  // All there is, on this thread; ends early when another process feeds, or when it is told to stop.
  void feed(const std::stop_token& stop = {});

  // After an erasure was committed: no word of it remains in the index when this returns true. False when another process feeds
  // for longer than we wait; then it is to be called again, and who feeds does the same at its end.
  bool forget_erased(std::chrono::milliseconds patience);

  std::int64_t bytes() const;

 private:
  Result<bool> forget_newer(std::chrono::milliseconds patience);  // false: there was nothing to forget
  void remove_former() const;

  const Context& context_;
  ReadPool& readers_;
  const std::string folder_;
  const std::unique_ptr<search::TextIndex> index_;

  std::mutex feeder_mutex_;
  std::atomic<bool> feeding_ = false;
  std::jthread feeder_;
};

}  // namespace holdfast::store
