#include "kinds/research/sources/providers.h"

#include <gtest/gtest.h>

namespace holdfast::research {
namespace {

class StorePatience : public ::testing::Test {
 protected:
  // Busy so many times, then there is one hit.
  Result<std::vector<Found>> search(int busy, const SearchAsk& ask = {}, ErrorKind kind = ErrorKind::unavailable) {
    return search_patiently(ask, pace_, [&, busy]() mutable -> Result<std::vector<Found>> {
      ++asked_;
      if (busy-- > 0) return fail(kind, "all connections are busy");
      return std::vector<Found>(1);
    });
  }

  Pace::Time now_{std::chrono::hours(1)};
  bool cancelled_ = false;
  int asked_ = 0;
  Pace pace_{[this] { return now_; },
             [this](std::chrono::milliseconds pause, const std::function<bool()>&) {
               now_ += pause;
               return !cancelled_;
             },
             [] { return 0.0; }};
};

TEST_F(StorePatience, AStoreThatIsBusyForAWhileIsAskedAgain) {
  EXPECT_EQ(search(kStoreRetries).value().size(), 1u);
  EXPECT_EQ(asked_, kStoreRetries + 1);
}

TEST_F(StorePatience, ItEnds) {
  EXPECT_EQ(search(1000).error().message, "all connections are busy");
  EXPECT_EQ(asked_, kStoreRetries + 1);
}

TEST_F(StorePatience, OtherErrorsAreAnswers) {
  EXPECT_EQ(search(1, {}, ErrorKind::corrupt).error().kind, ErrorKind::corrupt);
  EXPECT_EQ(asked_, 1);
}

TEST_F(StorePatience, ThereIsNoPauseBeyondTheDeadline) {
  SearchAsk ask;
  ask.deadline = now_ + kStorePause;
  EXPECT_EQ(search(1, ask).error().kind, ErrorKind::unavailable);
  EXPECT_EQ(asked_, 1);
}

TEST_F(StorePatience, APauseEndsWithTheRun) {
  cancelled_ = true;
  EXPECT_EQ(search(1).error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace holdfast::research
