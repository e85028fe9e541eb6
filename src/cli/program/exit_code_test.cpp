#include "cli/program/exit_code.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

TEST(ExitCode, FollowsTheTableOfTheDesign) {
  using enum ErrorKind;
  EXPECT_EQ(exit_code(invalid), 2);
  EXPECT_EQ(exit_code(not_found), 3);
  EXPECT_EQ(exit_code(ambiguous), 4);
  EXPECT_EQ(exit_code(refused), 5);
  EXPECT_EQ(exit_code(conflict), 5);
  EXPECT_EQ(exit_code(corrupt), 6);
  EXPECT_EQ(exit_code(too_large), 6);
  EXPECT_EQ(exit_code(unavailable), 7);
  EXPECT_EQ(exit_code(timeout), 7);
  EXPECT_EQ(exit_code(unauthorised), 7);
  for (ErrorKind other : {cancelled, io, internal}) EXPECT_EQ(exit_code(other), 1);
}

TEST(ExitCode, OfAnInterruptionIsThatOfTheSignal) {
  EXPECT_EQ(exit_code(make_error(ErrorKind::cancelled, "stopped", {}, std::string(kInterrupted))), 130);
  EXPECT_EQ(exit_code(make_error(ErrorKind::cancelled, "stopped")), 1);
}

}  // namespace
}  // namespace holdfast::cli
