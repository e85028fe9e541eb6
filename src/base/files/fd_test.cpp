#include "base/files/fd.h"

#include <gtest/gtest.h>

#include <fcntl.h>

namespace holdfast {
namespace {

bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0;
}

Fd open_null() {
  return Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

TEST(Fd, ClosesWhatItOwnsOnce) {
  int number = -1;
  {
    const Fd fd = open_null();
    number = fd.get();
    EXPECT_TRUE(fd);
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
  EXPECT_FALSE(Fd());
}

TEST(Fd, MovesAndReleases) {
  Fd first = open_null(), second = open_null();
  const int kept = first.get(), closed = second.get();
  second = std::move(first);
  EXPECT_EQ(second.get(), kept);
  EXPECT_FALSE(is_open(closed));
  const Fd third(second.release());
  EXPECT_FALSE(second);
  EXPECT_TRUE(is_open(kept));
}

}  // namespace
}  // namespace holdfast
