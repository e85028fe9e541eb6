#include "base/crypto/byte_hash.h"

#include <gtest/gtest.h>

#include <string>

namespace holdfast {
namespace {

TEST(ByteHash, DependsOnEveryByteTheLengthAndTheSeed) {
  const ByteHash hash({1, 2}), other({1, 3});
  std::string text(100, 'x');
  for (std::size_t size = 0; size < text.size(); ++size) {
    const std::string_view part(text.data(), size);
    EXPECT_EQ(hash(part), hash(std::string(part)));
    EXPECT_NE(hash(part), other(part));
    EXPECT_NE(hash(part), hash(std::string_view(text.data(), size + 1)));
    for (std::size_t i = 0; i < size; ++i) {
      std::string changed(part);
      changed[i] ^= 1;
      EXPECT_NE(hash(part), hash(changed)) << size << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace holdfast
