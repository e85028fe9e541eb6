#include "store/sqlite/read_pool.h"

namespace holdfast::store {

namespace {

// Readers look at a page of sessions or entries at a time; the system's page cache holds the rest.
constexpr const char* kReaderSettings = "PRAGMA cache_size=-1024; PRAGMA temp_store=MEMORY";

}  // namespace

Result<std::unique_ptr<Db>> ReadPool::take() {
  std::unique_lock lock(mutex_);
  returned_.wait(lock, [&] { return in_use_ < kMaxReaders; });
  ++in_use_;
  if (!idle_.empty()) {
    auto db = std::move(idle_.back());
    idle_.pop_back();
    return db;
  }
  lock.unlock();
  auto db = Db::open(context_.path, Db::Mode::read_only, context_.vfs);
  if (db) {
    if (auto set = (*db)->script(kReaderSettings); !set) db = fail(std::move(set).error());
  }
  if (!db) give_back(nullptr);
  return db;
}

void ReadPool::give_back(std::unique_ptr<Db> db) {
  const std::lock_guard lock(mutex_);
  --in_use_;
  if (db != nullptr && idle_.size() < kMaxIdleReaders) idle_.push_back(std::move(db));
  returned_.notify_one();
}

}  // namespace holdfast::store
