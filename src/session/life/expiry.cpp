#include "session/life/expiry.h"

namespace holdfast::session {

namespace {

constexpr std::size_t kAtOnce = 500;  // a few milliseconds of other writers' time

}  // namespace

Result<std::int64_t> sweep_expired(Store& store) {
  std::int64_t removed = 0;
  for (;;) {
    HF_TRY(const std::int64_t some, store.write([](Transaction& transaction) { return transaction.purge_expired(kAtOnce); }));
    removed += some;
    if (some < static_cast<std::int64_t>(kAtOnce)) return removed;
  }
}

}  // namespace holdfast::session
