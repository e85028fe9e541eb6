#include "base/error.h"

#include "base/result.h"

#include <gmock/gmock.h>

#include <cerrno>

namespace holdfast {
namespace {

TEST(Error, WordIsTheCodeOrTheKind) {
  EXPECT_EQ(make_error(ErrorKind::not_found, "x").word(), "not_found");
  EXPECT_EQ(make_error(ErrorKind::invalid, "x", "", "no_root").word(), "no_root");
}

TEST(Error, WithinPutsThePlaceInFront) {
  const Error error = make_error(ErrorKind::corrupt, "line 3 is cut", "restore it", "cut").within("a.jsonl");
  EXPECT_EQ(error.message, "a.jsonl: line 3 is cut");
  EXPECT_EQ(error.hint, "restore it");
  EXPECT_EQ(error.word(), "cut");
  EXPECT_EQ(error.kind, ErrorKind::corrupt);
}

TEST(Error, SystemErrorsHaveTheKindSomebodyReactsTo) {
  const std::pair<int, ErrorKind> table[] = {
      {ENOENT, ErrorKind::not_found},
      {EACCES, ErrorKind::refused},
      {EEXIST, ErrorKind::conflict},
      {ENOSPC, ErrorKind::io},
      {EIO, ErrorKind::io},
      {EINVAL, ErrorKind::invalid},
      {EFBIG, ErrorKind::too_large},
      {ETIMEDOUT, ErrorKind::timeout},
      {ECONNREFUSED, ErrorKind::unavailable},
      {ECANCELED, ErrorKind::cancelled},
      {EADDRINUSE, ErrorKind::conflict},
  };
  for (const auto& [number, kind] : table) EXPECT_EQ(system_error("x", number).kind, kind) << number;
  EXPECT_EQ(system_error("open a", ENOENT).message, "open a: No such file or directory");
  EXPECT_EQ(system_error("open a", 99999).message, "open a: error 99999");
}

Result<int> half_of(int number) {
  if (number % 2) return fail(ErrorKind::invalid, "odd");
  return number / 2;
}

Result<int> quarter_of(int number) {
  HF_TRY(const int half, half_of(number));
  HF_TRY(const int quarter, half_of(half));
  return quarter;
}

Result<void> check_even(int number) {
  HF_CHECK(half_of(number));
  return {};
}

TEST(Result, TryReturnsTheErrorOrGoesOn) {
  EXPECT_EQ(quarter_of(12), 3);
  EXPECT_EQ(quarter_of(6).error().message, "odd");
  EXPECT_TRUE(check_even(2));
  EXPECT_FALSE(check_even(3));
}

}  // namespace
}  // namespace holdfast
