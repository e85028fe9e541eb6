#include "session/life/expiry.h"

#include "base/files/test_folder.h"
#include "store/open.h"

#include <gtest/gtest.h>

namespace holdfast::session {
namespace {

TEST(Expiry, RemovesAllThatHasExpiredAndNothingElse) {
  constexpr Millis kNow = 1'800'000'000'000;
  constexpr int kMany = 1201;  // more than two transactions' worth
  TestFolder folder;
  auto clock = std::make_shared<ManualClock>(kNow);
  store::OpenOptions options;
  options.clock = clock;
  auto store = store::open_store("sqlite:" + (folder / "store.db"), options).value();
  ASSERT_TRUE(store->write([](Transaction& transaction) -> Result<void> {
    for (int i = 0; i < kMany; ++i) HF_CHECK(transaction.put("session", std::to_string(i), 1, Expect::anything(), kNow + 1000));
    HF_CHECK(transaction.put("session", "later", 1, Expect::anything(), kNow + 2000));
    HF_CHECK(transaction.put("session", "never", 1));
    return {};
  }));
  EXPECT_EQ(sweep_expired(*store).value(), 0);
  clock->set(kNow + 1000);
  EXPECT_EQ(sweep_expired(*store).value(), kMany);
  EXPECT_EQ(store->values({"session", "", "", 10}).value().size(), 2U);
}

}  // namespace
}  // namespace holdfast::session
