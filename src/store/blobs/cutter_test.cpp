#include "store/blobs/cutter.h"

#include "store/blobs/blob_rows.h"
#include "store/blobs/test_blobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace holdfast::store {
namespace {

std::vector<std::string> cut(std::string_view bytes) {
  std::vector<std::string> chunks;
  while (!bytes.empty()) {
    const std::size_t length = first_cut(bytes.substr(0, std::min(bytes.size(), kMaxChunk)));
    chunks.emplace_back(bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
  return chunks;
}

TEST(Cutter, ChunksHaveTheSizesPromised) {
  const std::string bytes = made_up_lines(1, 4 << 20);
  const auto chunks = cut(bytes);
  std::string all;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    EXPECT_LE(chunks[i].size(), kMaxChunk);
    EXPECT_TRUE(i + 1 == chunks.size() || chunks[i].size() >= kMinChunk);
    all += chunks[i];
  }
  EXPECT_EQ(all, bytes);
  const std::size_t average = bytes.size() / chunks.size();
  EXPECT_GT(average, kAverageChunk / 2);
  EXPECT_LT(average, kAverageChunk * 2);
}

TEST(Cutter, WhatIsInsertedChangesFewChunks) {
  const std::string bytes = made_up_lines(2, 2 << 20);
  const auto before = cut(bytes);
  const auto after = cut(bytes.substr(0, 700'000) + "some words that were not there" + bytes.substr(700'000));
  const std::set<std::string> known(before.begin(), before.end());
  std::size_t fresh = 0;
  for (const std::string& chunk : after) fresh += known.contains(chunk) ? 0 : 1;
  EXPECT_LE(fresh, 3U);
}

TEST(Cutter, WhatIsAppendedChangesTheLastChunkOnly) {
  const std::string bytes = made_up_lines(3, 1 << 20);
  auto before = cut(bytes);
  const auto after = cut(bytes + made_up_lines(4, 50'000));
  before.pop_back();
  ASSERT_GT(after.size(), before.size());
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
}

TEST(Recipe, ComesBackAndNoticesDamage) {
  const Recipe recipe = {{1, 16000}, {2, 4096}, {900'000, 65536}, {3, 0}, {std::int64_t{1} << 60, 7}};
  std::string bytes = encode_recipe(recipe);
  EXPECT_EQ(decode_recipe(bytes).value(), recipe);
  for (char& byte : bytes) {
    byte = static_cast<char>(byte ^ 4);
    EXPECT_EQ(decode_recipe(bytes).error().kind, ErrorKind::corrupt);
    byte = static_cast<char>(byte ^ 4);
  }
  EXPECT_EQ(decode_recipe(bytes.substr(0, 7)).error().kind, ErrorKind::corrupt);
  EXPECT_THAT(decode_ids(encode_ids({5, 3, 9})).value(), testing::ElementsAre(5, 3, 9));
}

}  // namespace
}  // namespace holdfast::store
