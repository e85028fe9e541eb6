#include "kinds/research/engine/claims.h"

#include <gtest/gtest.h>

namespace holdfast::research {
namespace {

bool same(std::string_view a, std::string_view b) {
  return says_the_same(claim_of(a), claim_of(b));
}
bool differ(std::string_view a, std::string_view b) {
  const bool one_way = disagrees(claim_of(a), claim_of(b));
  EXPECT_EQ(one_way, disagrees(claim_of(b), claim_of(a)));
  return one_way;
}

TEST(Claims, P19NegationMakesSentencesDifferent) {
  const char* enabled = "Automatic retries are enabled by default.";
  for (const char* other : {"Automatic retries are not enabled by default.", "By default automatic retries aren't enabled.",
                            "Automatic retries are disabled by default.", "Automatic retries are never enabled by default."}) {
    EXPECT_FALSE(same(enabled, other)) << other;
    EXPECT_TRUE(differ(enabled, other)) << other;
  }
  EXPECT_TRUE(same("Automatic retries are disabled by default.", "By default, automatic retries are not enabled."));
  EXPECT_TRUE(same("It is not impossible to retry a write.", "It is possible to retry a write."));
  EXPECT_FALSE(differ(enabled, "By default, automatic retries are enabled."));
}

TEST(Claims, P19NumbersMakeSentencesDifferent) {
  const char* limit = "The queue of the scheduler holds at most 77 jobs.";
  for (const char* other :
       {"The queue of the scheduler holds at most 1234 jobs.", "The queue of the scheduler holds at most 4,321 jobs.",
        "The scheduler's queue holds at most 7.7 jobs."}) {
    EXPECT_FALSE(same(limit, other)) << other;
    EXPECT_TRUE(differ(limit, other)) << other;
  }
  EXPECT_TRUE(same("A call is tried three times.", "A call is tried 3 times."));
  EXPECT_TRUE(same("A queue holds 1,234 jobs.", "A queue holds 1234 jobs."));
  EXPECT_FALSE(differ("A call is tried 3 times.", "Each call is tried 3 times within 60 seconds.")) << "it only says more";
}

TEST(Claims, P19OtherSubjectsDoNotDisagree) {
  EXPECT_FALSE(differ("Reads are retried 3 times.", "Writes are retried 5 times."));
  EXPECT_FALSE(differ("The port is 4747.", "The timeout of a search is not known."));
  EXPECT_FALSE(differ("Yes.", "No."));
}

}  // namespace
}  // namespace holdfast::research
