#include "search/words/stems.h"

#include <gmock/gmock.h>

#include <thread>

namespace holdfast::search {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

TEST(Stems, FormsOfOneWordAreOne) {
  for (const std::string_view word : {"retry", "retries", "retried", "retrying"}) EXPECT_EQ(stem_of(word), "retri") << word;
  for (const std::string_view word : {"plan", "plans", "planned", "planning"}) EXPECT_EQ(stem_of(word), "plan") << word;
  for (const std::string_view word : {"decide", "decided", "decides", "deciding"}) EXPECT_EQ(stem_of(word), "decid") << word;
  for (const std::string_view word : {"lease", "leases", "leased"}) EXPECT_EQ(stem_of(word), "leas") << word;
  for (const std::string_view word : {"give", "gives", "giving", "gave", "given"}) EXPECT_EQ(stem_of(word), "give") << word;
  EXPECT_EQ(stem_of("status"), "status");
}

TEST(Stems, OtherWordsAreTheirOwn) {
  for (const std::string_view word : {"", "a", "is", "класс", "größe", "e0277", "東京"}) EXPECT_EQ(stem_of(word), word);
}

TEST(Stems, WordsWithAStemHaveIt) {
  EXPECT_THAT(words_with_stem(stem_of("retries")), Contains("retry"));
  EXPECT_THAT(words_with_stem(stem_of("deleting")), Contains("delete"));
  EXPECT_THAT(words_with_stem(stem_of("plan")), Contains("planned"));
  EXPECT_THAT(words_with_stem("ttl"), Contains("ttls"));
  EXPECT_THAT(words_with_stem("класс"), ElementsAre("класс"));
}

TEST(Stems, SeveralThreadsMayAsk) {
  const auto ask = [] {
    for (int i = 0; i < 1000; ++i) {
      EXPECT_EQ(stem_of("retries"), "retri");
      EXPECT_EQ(stem_of("planned"), "plan");
    }
  };
  std::thread other(ask);
  ask();
  other.join();
}

}  // namespace
}  // namespace holdfast::search
