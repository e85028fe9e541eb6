#include "research/extractive.h"

#include "research/sentence_rank.h"
#include "research/stems.h"
#include "research/test_run.h"

#include <fmt/format.h>

namespace holdfast::research {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kNotes = R"(# Meeting notes

## Retries

We talked about retries for a long time. We decided that idempotent calls are retried at most three
times, with a jittered back-off between one and sixty seconds. Retries of writes need an idempotency
key.

- Retrying after a 401 makes no sense, because the key will not become right by itself.

## Lunch

The soup was good.
)";
const std::string kAdr = R"(# Decision 7: back-off

After the outage in March the team agreed to honour Retry-After before any retry. As [12] shows, a
fixed delay makes the herd worse.
)";

struct ExtractiveRun : RunTest {
  ExtractiveRun() {
    Found notes = document("corpus://notes/meeting.md#L1-L14", "Meeting notes", kNotes);
    notes.locator = "L1-L14";
    answer({notes, document("corpus://notes/adr-7.md#L1-L4", "Decision 7: back-off", kAdr)});
  }
};

TEST_F(ExtractiveRun, S10_AnswersWithoutAModelAndPutsTheDecisionFirst) {
  const auto record = run("what did we decide about retries?");
  EXPECT_EQ(record.status, "completed");
  const JsonObject reply = report(record.id);
  EXPECT_EQ(find_string(reply, "engine"), "extractive");
  EXPECT_EQ(find_string(reply, "report_kind"), "final");
  const std::string text = report_text(record.id);
  const std::size_t first = text.find("> “");
  ASSERT_NE(first, std::string::npos);
  EXPECT_THAT(text.substr(first, 60), HasSubstr("We decided that idempotent calls are retried")) << text;
  EXPECT_THAT(text, HasSubstr("agreed to honour Retry-After"));
  EXPECT_THAT(text, Not(HasSubstr("soup")));
  EXPECT_THAT(text, HasSubstr("## Sources\n\n- [1] Meeting notes. <corpus://notes/meeting.md#L1-L14>, lines 1–14\n"));
}

}  // namespace
}  // namespace holdfast::research
