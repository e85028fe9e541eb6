#include "cli/program/progress_bar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using testing::ElementsAre;
using testing::EndsWith;

struct StatusLineTest : testing::Test {
  std::vector<std::string> written;
  StatusLine line{[this](std::string_view text) { written.emplace_back(text); }, 30};
};

TEST_F(StatusLineTest, ShortWorkShowsNothing) {
  line.tick(0);
  line.say(1000, "task 1");
  line.tick(1499);
  line.take_away();
  EXPECT_TRUE(written.empty());
}

TEST_F(StatusLineTest, TheNewestWordIsShownAlsoWhenNothingFollows) {
  line.say(0, "task 1");
  line.tick(600);
  line.say(610, "task 1 is done");
  line.say(620, "task 2");
  line.tick(850);
  line.tick(1100);
  EXPECT_THAT(written, ElementsAre(EndsWith("task 1"), EndsWith("task 2")));
  line.tick(2620);
  EXPECT_THAT(written.back(), EndsWith("task 2 (2 s)"));
  line.take_away();
  line.tick(2700);
  EXPECT_THAT(written.back(), EndsWith("task 2 (2 s)")) << "it comes back";
}

TEST_F(StatusLineTest, NothingIsWiderThanTheTerminal) {
  line.say(0, std::string(100, 'x'));
  line.tick(9000);
  ASSERT_EQ(written.size(), 1U);
  EXPECT_THAT(written[0], EndsWith(" (9 s)"));
  EXPECT_LT(written[0].size(), 30 + std::string_view("\r\x1b[K").size() + 3) << "an ellipsis takes three bytes";
}

}  // namespace
}  // namespace holdfast::cli
