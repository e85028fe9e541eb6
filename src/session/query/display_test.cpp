#include "session/query/display.h"

#include <gtest/gtest.h>

namespace holdfast::session {
namespace {

TEST(Display, AgesAreFloored) {
  EXPECT_EQ(age(0, 59'999), "just now");
  EXPECT_EQ(age(10, 0), "just now");
  EXPECT_EQ(age(0, 60'000), "1m ago");
  EXPECT_EQ(age(0, 3'599'999), "59m ago");
  EXPECT_EQ(age(0, 86'399'999), "23h ago");
  EXPECT_EQ(age(0, 86'400'000), "1d ago");
}

TEST(Display, TitleFallsBackToTheOpeningAndThenToTheKind) {
  SessionRecord record;
  record.kind = "thread";
  EXPECT_EQ(shown_title(record), "untitled thread");
  record.opening = std::string(50, 'a') + " " + std::string(50, 'b');
  EXPECT_EQ(shown_title(record), std::string(50, 'a') + "…");
  record.title = "Retries";
  EXPECT_EQ(shown_title(record), "Retries");
}

TEST(Display, OnlyReasoningAndThreadShowTheirVisibilityAsStatus) {
  SessionRecord record;
  record.kind = "reasoning";
  record.status = "active";
  EXPECT_EQ(shown_status(record), "active");
  record.visibility = Visibility::archived;
  EXPECT_EQ(shown_status(record), "archived");
  record.kind = "research";
  EXPECT_EQ(shown_status(record), "active");
}

}  // namespace
}  // namespace holdfast::session
