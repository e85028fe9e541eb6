#include "kinds/research/run/job.h"

#include "kinds/research/run/journal.h"
#include "kinds/research/run/test_run.h"

#include <rapidcheck/gtest.h>

namespace holdfast::research {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Start, S10_AllViolationsAreReportedAtOnce) {
  StartRequest request;
  request.query = "  ";
  request.mode = "wild";
  request.clarify = "perhaps";
  request.limits = {{"max_iterations", 11}, {"task_timeout", "soon"}, {"max_fun", 1}};
  request.corpus = {"notes"};
  const auto refused = check_start(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().word(), "VALIDATION_ERROR");
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("query is empty"), HasSubstr("mode"), HasSubstr("clarify"),
                    HasSubstr("max_iterations must be a whole number from 1 to 10"), HasSubstr("task_timeout"),
                    HasSubstr("no limit 'max_fun'"), HasSubstr("'notes' is not an absolute path")));
}

TEST(Start, S10_TheLongestQueryIsTwoHundredThousandCharacters) {
  StartRequest request;
  request.query = std::string(kMaxQueryCharacters, 'x');
  EXPECT_TRUE(check_start(request));
  request.query += 'x';
  EXPECT_FALSE(check_start(request));
}

TEST(Start, S10_LimitsAreThoseOfTheTable) {
  const JsonObject defaults = json_of(read_limits(nullptr));
  EXPECT_EQ(defaults.size(), std::size(kLimits));
  JsonObject lowest, highest;
  for (const LimitInfo& info : kLimits) {
    EXPECT_EQ(find_int(defaults, info.name), info.fallback) << info.name;
    lowest[info.name] = info.lowest;
    highest[info.name] = info.highest;
  }
  EXPECT_EQ(json_of(read_limits(&lowest)), lowest);
  EXPECT_EQ(json_of(read_limits(&highest)), highest);
}

TEST_F(RunTest, S10_AVeryLongQueryIsKeptWholeAndShownShort) {
  const std::string query(100'000, 'x');
  const auto record = get(start(query));
  EXPECT_EQ(find_string(record.data, "query"), query);
  EXPECT_LE(record.opening.size(), 4096U);
}

TEST(ProgressPercent, S11_Formula) {
  EXPECT_EQ(percent_at(1, 1, "planning", 0, 1), 0);
  EXPECT_EQ(percent_at(1, 1, "planning", 1, 1), 5);
  EXPECT_EQ(percent_at(1, 1, "gathering", 0, 4), 5);
  EXPECT_EQ(percent_at(1, 1, "gathering", 1, 4), 16);  // 5 + 11.25
  EXPECT_EQ(percent_at(1, 1, "gathering", 4, 4), 50);
  EXPECT_EQ(percent_at(1, 1, "analysis", 1, 1), 70);
  EXPECT_EQ(percent_at(1, 1, "synthesis", 1, 1), 95);
  EXPECT_EQ(percent_at(1, 1, "refinement", 1, 1), 99) << "at most 99 before completed";
  EXPECT_EQ(percent_at(1, 3, "gathering", 4, 4), 16);
  EXPECT_EQ(percent_at(2, 3, "synthesis", 1, 1), 65);
  EXPECT_EQ(percent_at(3, 3, "refinement", 1, 1), 99);
  EXPECT_EQ(percent_at(1, 3, "nonsense", 1, 1), 0);
}

RC_GTEST_PROP(ProgressPercent, S11_NeverDecreasesAlongARun, (std::uint8_t rounds, std::uint8_t questions)) {
  const std::int64_t max = rounds % 10 + 1, total = questions % 20 + 1;
  int last = 0;
  const auto see = [&](std::int64_t iteration, std::string_view phase, std::int64_t done, std::int64_t of) {
    const int percent = percent_at(iteration, max, phase, done, of);
    RC_ASSERT(percent >= last);
    RC_ASSERT(percent <= kMostBeforeCompleted);
    last = percent;
  };
  for (std::int64_t iteration = 1; iteration <= max; ++iteration) {
    if (iteration == 1) see(1, "planning", 1, 1);
    for (std::int64_t done = 0; done <= total; ++done) see(iteration, "gathering", done, total);
    for (const std::string_view phase : {"analysis", "synthesis", "refinement"})
      for (const int done : {0, 1}) see(iteration, phase, done, 1);
  }
}

}  // namespace
}  // namespace holdfast::research
