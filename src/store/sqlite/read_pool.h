#pragma once

// Connections for reading, beside the writing one: readers never wait for a writer, nor for each other
// as long as there are fewer than kMaxReaders of them.

#include "store/sqlite/context.h"
#include "store/sqlite/db.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace holdfast::store {

inline constexpr std::size_t kMaxReaders = 8;      // more threads than cores only wait for memory
inline constexpr std::size_t kMaxIdleReaders = 2;  // each keeps a page cache; an idle program needs few

class ReadPool {
 public:
  explicit ReadPool(const Context& context) : context_(context) {}

  // Runs function(Db&) -> Result<T> inside a read transaction: all its statements see one moment.
  template <class Function>
  auto with(Function&& function) -> std::invoke_result_t<Function&, Db&> {
    auto db = take();
    if (!db) return fail(std::move(db).error());
    auto begun = (*db)->run("BEGIN");
    if (!begun) {
      give_back(*std::move(db));
      return fail(std::move(begun).error());
    }
    auto outcome = function(**db);
    static_cast<void>((*db)->run("ROLLBACK"));
    give_back(*std::move(db));
    return outcome;
  }

 private:
  Result<std::unique_ptr<Db>> take();
  void give_back(std::unique_ptr<Db> db);

  const Context& context_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Db>> idle_;
  std::size_t in_use_ = 0;
};

}  // namespace holdfast::store
