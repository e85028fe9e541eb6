#include "base/files/zstd_block.h"

#include "base/crypto/hash.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(ZstdBlock, ComesBackAsItWas) {
  ZstdPacker packer(3);
  for (const std::string& bytes : {std::string(), std::string("one line\n"), std::string(1 << 20, 'x'), random_bytes(300'000)}) {
    const std::string packed = packer.pack(bytes).value();
    EXPECT_EQ(zstd_unpack(packed, bytes.size()).value(), bytes);
  }
}

TEST(ZstdBlock, APrefixIsNotStoredAgain) {
  ZstdPacker packer(3);
  const std::string prefix = random_bytes(200'000);
  std::string bytes = prefix;
  for (std::size_t i = 0; i < bytes.size(); i += 10'000) bytes[i] = static_cast<char>(bytes[i] + 1);
  const std::string packed = packer.pack(bytes, prefix).value();
  EXPECT_LT(packed.size(), 2'000U);
  EXPECT_EQ(zstd_unpack(packed, bytes.size(), prefix).value(), bytes);
  EXPECT_EQ(zstd_unpack(packed, bytes.size()).error().kind, ErrorKind::corrupt);
}

TEST(ZstdBlock, DamageIsAnError) {
  ZstdPacker packer(3);
  const std::string packed = packer.pack(std::string(5000, 'y') + "z").value();
  EXPECT_EQ(zstd_unpack(packed.substr(0, packed.size() - 1), 5001).error().kind, ErrorKind::corrupt);
  EXPECT_EQ(zstd_unpack(packed, 5000).error().kind, ErrorKind::corrupt);
  EXPECT_EQ(zstd_unpack(packed, 5002).error().kind, ErrorKind::corrupt);
  EXPECT_EQ(zstd_unpack("no frame at all", 5).error().kind, ErrorKind::corrupt);
}

}  // namespace
}  // namespace holdfast
