#pragma once

// Erased text leaves the tables' files (design 8.9).
//
// PostgreSQL keeps old versions of rows until they are vacuumed. A write that erases marks that in `meta` in the same
// transaction; after the commit the tables are vacuumed, and the mark goes. A mark that is found when a store is opened was left
// by a node that died in between. The write-ahead log and backups keep bytes until they are recycled; docs/postgres.md says so.

#include "store/postgres/pool.h"

#include <atomic>
#include <mutex>

namespace holdfast::store::postgres {

class Eraser {
 public:
  explicit Eraser(Pool& pool) : pool_(pool) {}

  // Puts the mark in line; returns its name.
  static std::string queue_mark(Connection& connection, std::string_view id);

  // After the commit. Returns when the tables were vacuumed by somebody who began later than this was called; several who erase
  // at once share it. What fails is said in the log and done again when a store is opened.
  void erase(const std::string& mark);

  // What a node that died has left.
  void finish_old();

 private:
  Result<void> vacuum();

  Pool& pool_;
  std::atomic<std::uint64_t> asked_ = 0;
  std::mutex mutex_;
  std::uint64_t done_ = 0;
};

}  // namespace holdfast::store::postgres
