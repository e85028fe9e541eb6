#include "kinds/research/engine/engine.h"
#include "kinds/research/run/test_run.h"

#include <fmt/format.h>

#include <atomic>
#include <thread>

namespace holdfast::research {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
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

TEST_F(ExtractiveRun, S10_SameCorpusAndQuestionGiveTheSameReport) {
  const std::string question = "what did we decide about retries, and why does a 401 differ?";
  const std::string first = report_text(run(question).id);
  clock->advance(86'400'000);
  // Later, slower, and with more at once: nothing of it may show.
  const auto quick = answerers.at(0).second;
  answerers.clear();
  std::atomic<int> calls = 0;
  answer("local", [&, quick](const SearchAsk& ask) {
    for (int i = ++calls; i < 4; ++i) std::this_thread::yield();
    return quick(ask);
  });
  EXPECT_EQ(report_text(run(question, {{"max_concurrent", 10}}).id), first);
  EXPECT_EQ(report_text(run(question, {{"max_concurrent", 1}}).id), first);
}

TEST_F(ExtractiveRun, S10_EveryQuotationIsVerifiedAndBracketsOfTheSourceStayItsOwn) {
  const auto record = run("fixed delay of the herd");
  const std::string text = report_text(record.id);
  EXPECT_THAT(text, HasSubstr("“As \\[12] shows, a fixed delay makes the herd worse.” [2]"));
  const JsonObject reply = report(record.id);
  const JsonObject& check = *find_object(reply, "citation_check");
  EXPECT_EQ(find_int(check, "quotes_unverified"), 0);
  EXPECT_GT(find_int(check, "quotes_verified").value(), 0);
  EXPECT_EQ(find_int(check, "dangling_removed"), 0);
}

TEST_F(ExtractiveRun, S10_SaysWhatWasNotFoundAndAsksForItAgain) {
  const auto record = run("what about retries and zeppelins?");
  EXPECT_EQ(find_int(record.data, "iteration"), 1) << "a word that was asked for already is not asked for again";
  EXPECT_THAT(report_text(record.id), HasSubstr("## What was not found\n\n- No source says anything about “zeppelins”."));
  const auto gaps = state(record.id).gaps;
  ASSERT_THAT(gaps, testing::SizeIs(1));
  EXPECT_THAT(gaps[0].suggested_queries, ElementsAre("zeppelins"));
}

TEST_F(ExtractiveRun, S10_AGapThatAFurtherRoundClosesIsGone) {
  answerers.clear();
  answer("local", [](const SearchAsk& ask) -> Result<std::vector<Found>> {
    // Found only when it is asked for alone.
    if (ask.query == "zeppelin zeppelins")
      return std::vector<Found>{document("corpus://notes/z.md", "Airships", "A zeppelin is filled with hydrogen or helium.")};
    return std::vector<Found>{document("corpus://notes/meeting.md", "Meeting notes", kNotes)};
  });
  const auto record = run("how many retries has a zeppelin factory policy");
  EXPECT_EQ(find_int(record.data, "iteration"), 2);
  const std::string text = report_text(record.id);
  EXPECT_THAT(text, HasSubstr("A zeppelin is filled with hydrogen or helium."));
  EXPECT_THAT(text, Not(HasSubstr("anything about “zeppelin”")));
  EXPECT_THAT(state(record.id).reports, testing::SizeIs(2));
}

TEST_F(ExtractiveRun, S10_NearDuplicatesAreShownOnceAndTheSameSentenceCitesBoth) {
  answerers.clear();
  const std::string sentence = "We decided to retry three times.";
  answer({document("corpus://a/1.md", "First", sentence), document("corpus://b/2.md", "Second", "Once more: " + sentence),
          document("corpus://b/3.md", "Third", sentence)});
  const auto findings = state(run("what did we decide about retries?").id).findings;
  ASSERT_THAT(findings, testing::SizeIs(1));
  EXPECT_THAT(findings[0].source_ids, testing::SizeIs(2));
}

TEST_F(ExtractiveRun, P19SourcesThatDisagreeAreAllShownAndTheReportSaysSo) {
  answerers.clear();
  answer({document("corpus://a/handbook.md#L1-L3", "Handbook",
                   "The queue of the scheduler holds at most 77 jobs. Retries of jobs are enabled."),
          document("corpus://b/faq.md#L1-L3", "FAQ",
                   "The queue of the scheduler holds at most 1234 jobs. Retries of jobs are not enabled."),
          document("corpus://c/blog.md#L1-L3", "Blog", "The queue of the scheduler holds at most 4321 jobs.")});
  const std::string id = run("how many jobs does the queue of the scheduler hold, and are retries enabled?").id;
  const std::string text = report_text(id);
  for (const char* said : {"77 jobs", "1234 jobs", "4321 jobs", "Retries of jobs are enabled", "Retries of jobs are not enabled"})
    EXPECT_THAT(text, HasSubstr(said));
  EXPECT_THAT(text, HasSubstr("The sources disagree: see Conflicts below."));
  EXPECT_THAT(text, HasSubstr("## Conflicts\n\n- Sources disagree: “"));
  EXPECT_THAT(text, HasSubstr("- Sources disagree: “The queue of the scheduler holds at most 77 jobs.” [1] – “The "
                              "queue of the scheduler holds at most 1234 jobs.” [2] – “The queue"));
  EXPECT_THAT(text,
              HasSubstr("- Sources disagree: “Retries of jobs are enabled.” [1] – “Retries of jobs are not enabled.” [2]\n"));
  const auto conflicts = state(id).contradictions;
  ASSERT_THAT(conflicts, testing::SizeIs(2));
  const std::vector<std::size_t> sizes = {conflicts[0].finding_ids.size(), conflicts[1].finding_ids.size()};
  EXPECT_THAT(sizes, testing::UnorderedElementsAre(2, 3));
}

TEST_F(ExtractiveRun, P19OneDocumentDoesNotContradictItself) {
  answerers.clear();
  answer({document("corpus://a/log.md#L1-L3", "Log", "The run took 5 seconds with cache. The run took 9 seconds with cache."),
          document("corpus://a/log.md#L7-L9", "Log", "The run took 11 seconds with cache.")});
  const std::string id = run("how many seconds did the run take with cache?").id;
  EXPECT_THAT(state(id).contradictions, testing::IsEmpty());
  EXPECT_THAT(report_text(id), Not(HasSubstr("disagree")));
}

TEST_F(ExtractiveRun, S10_SourcesWithoutASentenceAboutItGiveAnEmptyReport) {
  const auto record = run("quantum chromodynamics");
  EXPECT_EQ(record.status, "completed");
  EXPECT_TRUE(find_bool(report(record.id), "empty").value());
  EXPECT_THAT(report_text(record.id), HasSubstr("2 sources were read; none of them has a sentence about it."));
}

}  // namespace
}  // namespace holdfast::research
