#include "base/ids.h"

#include <gmock/gmock.h>

#include <set>
#include <thread>
#include <vector>

namespace holdfast {
namespace {

using testing::MatchesRegex;

TEST(Ids, Uuid7HasVersionAndVariant) {
  EXPECT_THAT(make_uuid7(), MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  EXPECT_THAT(make_uuid4(), MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
}

TEST(Ids, Uuid7SortsInTheOrderOfMaking) {
  std::string last = make_uuid7();
  for (int i = 0; i < 20'000; ++i) {  // more than a millisecond's counter holds
    std::string next = make_uuid7();
    ASSERT_LT(last, next);
    last = std::move(next);
  }
}

TEST(Ids, Uuid7IsUniqueAcrossThreads) {
  constexpr int kThreads = 4, kEach = 2'000;
  std::vector<std::vector<std::string>> made(kThreads);
  std::vector<std::jthread> threads;
  for (auto& ids : made) {
    threads.emplace_back([&ids] {
      for (int i = 0; i < kEach; ++i) ids.push_back(make_uuid7());
    });
  }
  threads.clear();
  std::set<std::string> all;
  for (const auto& ids : made) {
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
    all.insert(ids.begin(), ids.end());
  }
  EXPECT_EQ(all.size(), kThreads * kEach);
}

TEST(Ids, RecognisesUuids) {
  EXPECT_TRUE(is_uuid(make_uuid7()));
  EXPECT_TRUE(is_uuid("0198FFFF-0000-7000-8000-000000000000"));
  for (const char* text :
       {"", "0198ffff-0000-7000-8000-00000000000", "0198ffff-0000-7000-8000-0000000000000", "0198ffff00007000-8000-0000-00000000",
        "0198ffff-0000-7000-8000-00000000000g", "{198ffff-0000-7000-8000-00000000000}"}) {
    EXPECT_FALSE(is_uuid(text)) << text;
  }
}

TEST(Ids, RandomTextHasItsLengthAndAlphabet) {
  EXPECT_THAT(random_base62(500), MatchesRegex("[0-9A-Za-z]{500}"));
  EXPECT_THAT(random_base32(500), MatchesRegex("[a-z2-7]{500}"));
  EXPECT_EQ(random_base62(0), "");
  EXPECT_THAT(make_handle(), MatchesRegex("[-_0-9A-Za-z]{22}"));
  EXPECT_NE(make_handle(), make_handle());
  const std::string sample = random_base62(20'000);
  EXPECT_EQ(std::set<char>(sample.begin(), sample.end()).size(), 62U);
}

}  // namespace
}  // namespace holdfast
