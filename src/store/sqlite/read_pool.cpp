#include "store/sqlite/read_pool.h"

namespace holdfast::store {

namespace {

// Readers look at a page of sessions or entries at a time; the system's page cache holds the rest.
constexpr const char* kReaderSettings = "PRAGMA cache_size=-1024; PRAGMA temp_store=MEMORY";

}  // namespace

Result<ReadPool::Borrowed> ReadPool::take() {
  std::unique_lock lock(mutex_);
  returned_.wait(lock, [&] { return in_use_ < kMaxReaders; });
  ++in_use_;
  const int generation = generation_;
  if (!idle_.empty()) {
    auto db = std::move(idle_.back());
    idle_.pop_back();
    return Borrowed{std::move(db), generation};
  }
  lock.unlock();
  auto db = Db::open_to_read(context_.path, context_.vfs);
  if (db) {
    if (auto set = (*db)->script(kReaderSettings); !set) db = fail(std::move(set).error());
  }
  if (db) return Borrowed{*std::move(db), generation};
  give_back({nullptr, generation});
  return fail(std::move(db).error());
}

// What has met damage may have been put right meanwhile.
void ReadPool::give_back(Borrowed borrowed) {
  const std::lock_guard lock(mutex_);
  --in_use_;
  const bool good = borrowed.db != nullptr && !borrowed.db->alone() && !borrowed.db->met_damage();
  if (good && borrowed.generation == generation_ && idle_.size() < kMaxIdleReaders) idle_.push_back(std::move(borrowed.db));
  returned_.notify_one();
}

void ReadPool::renew() {
  const std::lock_guard lock(mutex_);
  ++generation_;
  idle_.clear();
}

}  // namespace holdfast::store
