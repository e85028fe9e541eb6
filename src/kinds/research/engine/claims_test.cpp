#include "kinds/research/engine/claims.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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

TEST(Claims, P19UnitsAreNumbers) {
  EXPECT_TRUE(differ("A call waits for 5 s before the next try.", "A call waits for 5 ms before the next try."));
  EXPECT_TRUE(differ("A call waits for 5s before the next try.", "A call waits for 5 minutes before the next try."));
  EXPECT_TRUE(differ("The buffer of a stream holds 64 KiB.", "The buffer of a stream holds 64 MiB."));
  EXPECT_TRUE(differ("The pool uses 5 % of the memory.", "The pool uses 50 percent of the memory."));
  for (const char* other : {"A call waits 120 s before the next try.", "A call waits 120s before the next try.",
                            "A call waits two minutes before the next try."}) {
    EXPECT_TRUE(same("A call waits 2 minutes before the next try.", other)) << other;
    EXPECT_FALSE(differ("A call waits 2 minutes before the next try.", other)) << other;
  }
}

TEST(Claims, P19TheMostIsNotTheLeast) {
  const char* most = "A queue takes up to 10 jobs.";
  for (const char* other :
       {"A queue takes at least 10 jobs.", "A queue takes more than 10 jobs.", "A queue takes no less than 10 jobs."}) {
    EXPECT_FALSE(same(most, other)) << other;
    EXPECT_TRUE(differ(most, other)) << other;
  }
  for (const char* other :
       {"A queue takes at most 10 jobs.", "A queue takes no more than 10 jobs.", "A queue takes not more than ten jobs."}) {
    EXPECT_TRUE(same(most, other)) << other;
    EXPECT_FALSE(differ(most, other)) << other;
  }
}

TEST(Claims, P19AlwaysIsNotNeverAndOnIsNotOff) {
  EXPECT_TRUE(differ("Failed jobs are always written to the log.", "Failed jobs are never written to the log."));
  EXPECT_TRUE(differ("Compression of backups is on.", "Compression of backups is off."));
  EXPECT_TRUE(differ("Encrypted backups supported: yes", "Encrypted backups supported: no"));
  EXPECT_TRUE(differ("Old clients are accepted by the server.", "Old clients are no longer accepted by the server."));
  EXPECT_FALSE(differ("Failed jobs are always written to the log.", "Failed jobs are written to the log."));
}

TEST(Claims, P19DatesAndVersionsAreNumbers) {
  const char* date = "Support of the format ends on 5 January 2026.";
  for (const char* other : {"Support of the format ends on 6 January 2026.", "Support of the format ends on 5 March 2026.",
                            "Support of the format ends on 2027-01-05."})
    EXPECT_TRUE(differ(date, other)) << other;
  EXPECT_TRUE(same(date, "Support of the format ends on 2026-01-05."));
  EXPECT_TRUE(differ("Backups run every Monday at night.", "Backups run every Friday at night."));
  EXPECT_TRUE(differ("The setting came with version 1.2.3.", "The setting came with version 1.3.2."));
  EXPECT_TRUE(differ("The setting came with v1.2 of the program.", "The setting came with v2.1 of the program."));
  EXPECT_FALSE(differ("A job may be retried by the scheduler.", "A job may be retried by the scheduler in March."));
}

const char* const kSubjects[] = {"the queue of the scheduler", "a backup of the store", "der Server im Keller", "队列 的 大小"};
const char* const kDeeds[] = {"is kept for", "waits during", "holds"};

std::string sentence(std::size_t subject, std::size_t deed, bool denies, int number, const std::string& unit) {
  return fmt::format("{} {}{} {}{}", kSubjects[subject], denies ? "never " : "", kDeeds[deed], number, unit);
}

// Whatever they are about, neither a "never" nor a number is lost in a likeness of words.
RC_GTEST_PROP(ClaimsProperty, P19WhoeverDeniesOrCountsOtherwiseIsNoCopy, ()) {
  const auto subject = *rc::gen::inRange<std::size_t>(0, std::size(kSubjects)),
             deed = *rc::gen::inRange<std::size_t>(0, std::size(kDeeds));
  const auto units = rc::gen::element<std::string>("", " s", " ms", " minutes", " KiB", "%");
  const bool denies = *rc::gen::arbitrary<bool>(), other_denies = *rc::gen::arbitrary<bool>();
  const int number = *rc::gen::inRange(1, 100'000),
            other_number = *rc::gen::oneOf(rc::gen::just(number), rc::gen::inRange(1, 100'000));
  const Claim a = claim_of(sentence(subject, deed, denies, number, *units)),
              b = claim_of(sentence(subject, deed, other_denies, other_number, *units));
  RC_ASSERT(disagrees(a, b) == disagrees(b, a));
  RC_ASSERT(says_the_same(a, b) == says_the_same(b, a));
  RC_ASSERT(says_the_same(a, a) && !disagrees(a, a));
  RC_ASSERT(says_the_same(a, b) == (a.denies == b.denies && a.numbers == b.numbers));
  RC_ASSERT(denies == other_denies || !says_the_same(a, b));
  RC_ASSERT(!says_the_same(a, b) || !disagrees(a, b));
  RC_ASSERT(disagrees(a, b) == (denies == other_denies ? a.numbers != b.numbers : a.numbers == b.numbers));
}

}  // namespace
}  // namespace holdfast::research
