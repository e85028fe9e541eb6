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

  // Runs function(Db&) -> Result<T> inside a read transaction: all its statements see one moment. `met_damage` is told whether
  // one of them came to a damaged page, whatever the function made of it.
  template <class Function>
  auto with(Function&& function, bool* met_damage = nullptr) -> std::invoke_result_t<Function&, Db&> {
    HF_TRY(Borrowed borrowed, take());
    Db& db = *borrowed.db;
    auto begun = db.run("BEGIN");
    if (!begun) {
      if (met_damage != nullptr) *met_damage = db.met_damage();
      give_back(std::move(borrowed));
      return fail(std::move(begun).error());
    }
    auto outcome = function(db);
    static_cast<void>(db.run("ROLLBACK"));
    if (met_damage != nullptr) *met_damage = db.met_damage();
    give_back(std::move(borrowed));
    return outcome;
  }

  // Connections that were opened before are used no more, once those who have one give it back.
  void renew();

 private:
  struct Borrowed {
    std::unique_ptr<Db> db;
    int generation = 0;
  };
  Result<Borrowed> take();
  void give_back(Borrowed borrowed);

  const Context& context_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Db>> idle_;
  std::size_t in_use_ = 0;
  int generation_ = 0;
};

}  // namespace holdfast::store
