#include "cli/program/progress_bar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

struct ProgressBarTest : testing::Test {
  std::vector<std::string> written;
  ProgressBar bar{[this](std::string_view text) { written.emplace_back(text); }};
};

TEST_F(ProgressBarTest, ShortWorkShowsNothing) {
  bar.update(1000, "copying", 0, 100);
  bar.update(1499, "copying", 99, 100);
  bar.clear();
  EXPECT_TRUE(written.empty());
}

TEST_F(ProgressBarTest, LongWorkIsDrawnNowAndThenAndTakenAway) {
  bar.update(0, "copying", 0, 4 << 20);
  bar.update(500, "copying", 2 << 20, 4 << 20);
  bar.update(599, "copying", 3 << 20, 4 << 20);  // too soon
  bar.update(600, "copying", 4 << 20, 4 << 20);
  bar.clear();
  bar.clear();
  ASSERT_EQ(written.size(), 3U);
  EXPECT_THAT(written[0], EndsWith("copying [============            ]  50%  2.0 MB of 4.0 MB"));
  EXPECT_THAT(written[1], HasSubstr("[========================] 100%"));
  EXPECT_EQ(written[2], "\r\x1b[K");
}

TEST_F(ProgressBarTest, MoreThanTheTotalIsAllOfIt) {
  bar.update(0, "reading", 0, 10);
  bar.update(900, "reading", 25, 10);
  EXPECT_THAT(written.back(), HasSubstr("100%"));
}

TEST_F(ProgressBarTest, AnUnknownTotalCountsUp) {
  bar.update(0, "reading", 0, 0);
  bar.update(900, "reading", 1536, 0);
  EXPECT_THAT(written.back(), EndsWith("reading 1.5 KB"));
}

TEST(SizeText, TakesTheUnitThatFits) {
  EXPECT_EQ(size_text(0), "0 bytes");
  EXPECT_EQ(size_text(1023), "1023 bytes");
  EXPECT_EQ(size_text(1024), "1.0 KB");
  EXPECT_EQ(size_text(72ULL << 20), "72.0 MB");
  EXPECT_EQ(size_text(5ULL << 40), "5.0 TB");
}

}  // namespace
}  // namespace holdfast::cli
