#pragma once

// Makes erased text disappear from the files of a store.
//
// A commit that erases overwrites the cells it frees (secure_delete), but older copies remain in two places: in the log, until a
// checkpoint has truncated it, and in the unused middle of pages, where SQLite leaves what it moved to another page when it
// balanced a tree. So after such a commit the log is truncated and the unused middle of every page is filled with zeros.
//
// That it is due is noted in `meta` by the erasing transaction itself and crossed out when it is done, so that whoever opens
// the store next finishes what a reader held up or a crash cut short.

#include "store/sqlite/db.h"

#include <cstddef>
#include <cstdint>
#include <set>

namespace holdfast::store {

// The unused bytes of a page of a tree: [first, last) within it. {0, 0} for all other pages, and for those that are damaged.
struct UnusedBytes {
  std::size_t first = 0;
  std::size_t last = 0;
};
UnusedBytes unused_bytes(std::string_view page, std::size_t usable_size, bool first_page);

// Of the writing connection, and used by who may use that.
class Scrubber {
 public:
  Scrubber(Db& db, std::string path) : db_(db), log_path_(std::move(path) + "-wal") {}

  // Inside the transaction that erases.
  Result<void> mark_due();
  Result<bool> is_due();
  // Outside of any. False when somebody still reads what was erased: try again later. Waits for readers at most this long.
  Result<bool> finish(std::chrono::milliseconds patience);

 private:
  enum class Outcome { done, overtaken, held_up };
  struct Log {
    std::uint32_t salt = 0;  // grows by one when the log begins anew
    std::set<std::uint32_t> pages;
  };
  Result<Outcome> try_once();
  Result<std::optional<Log>> read_log() const;  // nullopt: it is empty
  Result<void> clean(const std::set<std::uint32_t>* pages);
  Result<void> clean_page(std::string_view page, std::uint32_t number);

  Db& db_;
  std::string log_path_;
  std::uint32_t page_size_ = 0;
  std::size_t usable_size_ = 0;
  bool wrote_ = false;
  // Salt of the log that the last scrub truncated. When the next log is its successor, it names every page changed since.
  std::optional<std::uint32_t> last_salt_;
};

}  // namespace holdfast::store
