// threads-and-research §5 and §6: due to the millisecond, announced before, once.

#include "session/life/sweep.h"

#include "session/life/test_life.h"

#include <thread>

namespace holdfast::session {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct Stage {
  std::string_view kind, status;
  Visibility from;
  Step step;
  double days;
};

struct StageTest : LifeTest, testing::WithParamInterface<Stage> {
  // A session that entered the stage at kStart; returns when the stage ends.
  Millis prepare() {
    const Stage& stage = GetParam();
    add(stage.kind, "id-1", stage.status);
    if (stage.from == Visibility::archived) must(move("id-1", archive));
    if (stage.from == Visibility::deleted) must(move("id-1", soft_delete));
    return kStart + static_cast<Millis>(stage.days * static_cast<double>(kDay));
  }
  std::vector<std::string> taken(const SweepReport& report) const {
    switch (GetParam().step) {
      case Step::archive:
        return report.archived;
      case Step::remove:
        return report.deleted;
      case Step::purge:
        return report.purged;
    }
    return {};
  }
};

TEST_P(StageTest, IsDueExactlyAtItsInstantAndNotAMillisecondEarlier) {
  const Millis due = prepare();
  const Millis lead = policy.lead(GetParam().kind, GetParam().step);
  EXPECT_EQ(get("id-1").due_at, due);

  EXPECT_EQ(sweep_at(due - lead - 1).notices_created, 0u);
  EXPECT_EQ(sweep_at(due - lead).notices_created, 1u);
  EXPECT_EQ(swept().notices_created, 0u) << "the same instant again changes nothing";

  const SweepReport before = sweep_at(due - 1);
  EXPECT_THAT(taken(before), IsEmpty());
  EXPECT_EQ(before.next_due_at, due);
  EXPECT_THAT(taken(sweep_at(due)), ElementsAre("id-1"));
  const SweepReport after = sweep_at(due + 1);
  EXPECT_THAT(after.archived, IsEmpty());
  EXPECT_THAT(after.deleted, IsEmpty());
  EXPECT_THAT(after.purged, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Table5, StageTest,
                         testing::Values(Stage{kThread, "created", Visibility::live, Step::archive, 7},
                                         Stage{kThread, "active", Visibility::live, Step::archive, 7},
                                         Stage{kResearch, "completed", Visibility::live, Step::archive, 90},
                                         Stage{kThread, "active", Visibility::archived, Step::remove, 90},
                                         Stage{kResearch, "failed", Visibility::archived, Step::remove, 90},
                                         Stage{kThread, "active", Visibility::deleted, Step::purge, 30},
                                         Stage{kResearch, "completed", Visibility::deleted, Step::purge, 30},
                                         Stage{kReasoning, "active", Visibility::deleted, Step::purge, 30},
                                         Stage{kDocument, "open", Visibility::deleted, Step::purge, 30},
                                         Stage{kRun, "failed", Visibility::deleted, Step::purge, 30}));

TEST_F(LifeTest, WhatIsNotCompletedIsNeverArchivedByItself) {
  add(kResearch, "research-1", "started");
  add(kResearch, "research-2", "in_progress");
  add(kResearch, "research-3", "failed");
  add(kResearch, "research-4", "cancelled");
  add(kReasoning, "reasoning-1");
  const SweepReport report = sweep_at(kStart + 1000 * kDay);
  EXPECT_EQ(report.notices_created, 0u);
  EXPECT_FALSE(report.next_due_at);
}

TEST_F(LifeTest, FailedRunsHaveAClockWhenASettingSaysSo) {
  policy.kinds[std::string(kResearch)].failed_archive_after = 10 * kDay;
  open();
  add(kResearch, "research-1", "failed");
  EXPECT_EQ(get("research-1").due_at, kStart + 10 * kDay);
}

TEST_F(LifeTest, Rule3_TwoHundredDaysOfflineNeverCascade) {
  add(kThread, "thread-1");
  const Millis back = kStart + 200 * kDay;
  EXPECT_EQ(sweep_at(back).notices_created, 1u) << "first it is announced";
  EXPECT_EQ(get("thread-1").visibility, Visibility::live);
  EXPECT_THAT(sweep_at(back + kDay).archived, ElementsAre("thread-1"));
  const SweepReport same_day = swept();
  EXPECT_THAT(same_day.deleted, IsEmpty());
  EXPECT_EQ(same_day.notices_created, 0u);
  EXPECT_EQ(get("thread-1").archived_at, back + kDay) << "the clock of a stage starts when it is entered";
  EXPECT_EQ(get("thread-1").due_at, back + 91 * kDay);
}

TEST_F(LifeTest, Rule4_NothingHappensEarlierThanADayAfterItsNotice) {
  add(kThread, "thread-1");
  const Millis late = kStart + 7 * kDay - 1000;  // the sweep came only a second before the due time
  EXPECT_EQ(sweep_at(late).notices_created, 1u);
  EXPECT_THAT(sweep_at(late + kDay - 1).archived, IsEmpty());
  EXPECT_THAT(sweep_at(late + kDay).archived, ElementsAre("thread-1"));
}

TEST_F(LifeTest, Rule6_AMessageAfterTheNoticeSavesTheThread) {
  add(kThread, "thread-1");
  sweep_at(kStart + 6 * kDay);
  EXPECT_THAT(must(list_notices(*store, "local", false, 10)).notices, SizeIs(1));
  clock->set(kStart + 7 * kDay - 1);
  say("thread-1", "still here");
  EXPECT_THAT(must(list_notices(*store, "local", false, 10)).notices, IsEmpty()) << "it says nothing true any more";
  EXPECT_THAT(sweep_at(kStart + 8 * kDay).archived, IsEmpty());
  EXPECT_THAT(sweep_at(kStart + 12 * kDay).archived, IsEmpty()) << "the old notice does not count for the new due time";
  EXPECT_THAT(sweep_at(kStart + 14 * kDay).archived, ElementsAre("thread-1"));
}

TEST_F(LifeTest, Rule7_PinnedSessionsAreExemptFromEveryStep) {
  add(kThread, "thread-1");
  must(pin("thread-1", true));
  add(kThread, "thread-2");
  must(move("thread-2", soft_delete));
  must(pin("thread-2", true));
  const SweepReport report = sweep_at(kStart + 500 * kDay);
  EXPECT_EQ(report.notices_created, 0u);
  EXPECT_EQ(report.skipped_pinned, 2u);
}

TEST_F(LifeTest, Rule8_AClockThatGoesBackReversesNothing) {
  add(kThread, "thread-1");
  sweep_at(kStart + 6 * kDay);
  sweep_at(kStart + 7 * kDay);
  EXPECT_EQ(get("thread-1").visibility, Visibility::archived);
  const SweepReport earlier = sweep_at(kStart);
  EXPECT_THAT(earlier.archived, IsEmpty());
  EXPECT_EQ(get("thread-1").visibility, Visibility::archived);
}

TEST_F(LifeTest, Rule2_ADryRunPlansTheSameAndChangesNothing) {
  add(kThread, "thread-1");
  clock->set(kStart + 6 * kDay);
  SweepOptions dry;
  dry.dry_run = true;
  const std::int64_t before = must(store->last_sequence());
  EXPECT_EQ(must(sweep(*store, policy, dry)).notices_created, 1u);
  EXPECT_EQ(must(store->last_sequence()), before);
  EXPECT_EQ(swept().notices_created, 1u);
  clock->set(kStart + 7 * kDay);
  EXPECT_THAT(must(sweep(*store, policy, dry)).archived, ElementsAre("thread-1"));
  EXPECT_EQ(get("thread-1").visibility, Visibility::live);
  EXPECT_THAT(swept().archived, ElementsAre("thread-1"));
}

TEST_F(LifeTest, Rule2_ADryRunPlansWithTheSettingsOfToday) {
  add(kThread, "thread-1");
  swept();
  policy.kinds.at(std::string(kThread)).archive_after = kDay;
  open();
  clock->set(kStart + 3 * kDay);
  SweepOptions dry;
  dry.dry_run = true;
  EXPECT_EQ(must(sweep(*store, policy, dry)).notices_created, 1u);
  EXPECT_EQ(swept().notices_created, 1u);
}

TEST_F(LifeTest, Rule1_SweepsOnceADayForTheWholeStore) {
  add(kThread, "thread-1");
  const auto other = another();
  EXPECT_TRUE(must(sweep_if_due(*store, policy, clock->now())));
  EXPECT_FALSE(must(sweep_if_due(*other, policy, clock->now())));
  clock->advance(kDay - 1);
  EXPECT_FALSE(must(sweep_if_due(*store, policy, clock->now())));
  clock->advance(1);
  EXPECT_TRUE(must(sweep_if_due(*other, policy, clock->now())));
  EXPECT_FALSE(must(sweep_if_due(*store, policy, clock->now())));
  policy.auto_sweep = false;
  clock->advance(10 * kDay);
  EXPECT_FALSE(must(sweep_if_due(*store, policy, clock->now())));
}

TEST_F(LifeTest, Rule1_TheStoreIsNotAskedWhileTheLastSweepIsKnown) {
  const auto other = another();
  std::atomic<Millis> known = 0;
  EXPECT_TRUE(must(sweep_if_due(*store, policy, clock->now(), {}, {}, &known)));
  EXPECT_FALSE(must(sweep_if_due(*store, policy, clock->now(), {}, {}, &known)));
  EXPECT_EQ(known, clock->now());
  clock->advance(kDay);
  EXPECT_TRUE(must(sweep_if_due(*other, policy, clock->now())));
  EXPECT_FALSE(must(sweep_if_due(*store, policy, clock->now(), {}, {}, &known))) << "what is known is old, so the store is asked";
  EXPECT_EQ(known, clock->now());
}

TEST_F(LifeTest, Rule1_TheSessionOfTheCallIsLeftOut) {
  add(kThread, "thread-1");
  add(kThread, "thread-2");
  clock->set(kStart + 6 * kDay);
  const auto report = must(sweep_if_due(*store, policy, clock->now(), {"thread-1"}));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->notices_created, 1u);
}

TEST_F(LifeTest, P3SessionsThatAPrefixMayMeanAreLeftOutWhoeversTheyAre) {
  for (const char* id : {"thread-abcd", "thread-abcdefgh", "thread-ijklmnop", "thread-qrst", "thread-quvw"}) add(kThread, id);
  clock->set(kStart + 6 * kDay);
  // The first is an id and a prefix of another, the last fits two, of which its owner may know one; "thr" is too short.
  SweepOptions options;
  options.leave_out = {"thread-abcd", "thread-ijkl", "thread-q", "thr", "", "nothing"};
  EXPECT_EQ(must(sweep(*store, policy, options)).notices_created, 1u);
  EXPECT_EQ(must(sweep(*store, policy)).notices_created, 4u);
}

TEST_F(LifeTest, ASweepThatIsStoppedGoesOnAtTheNextLook) {
  for (int i = 0; i < 5; ++i) add(kThread, "thread-" + std::to_string(i));
  clock->set(kStart + 6 * kDay);
  int looks = 0;
  EXPECT_FALSE(must(sweep_if_due(*store, policy, clock->now(), {}, [&] { return ++looks > 2; })));
  EXPECT_THAT(must(list_notices(*store, "local", false, 10)).notices, SizeIs(2));
  const auto rest = must(sweep_if_due(*store, policy, clock->now()));
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->notices_created, 3u);
}

TEST_F(LifeTest, ManyProcessesSweepEverySessionOnce) {
  constexpr int kSessions = 40;
  for (int i = 0; i < kSessions; ++i) add(kThread, "thread-" + std::to_string(i));
  sweep_at(kStart + 6 * kDay);
  clock->set(kStart + 7 * kDay);
  std::atomic<std::size_t> archived = 0, sweeps = 0;
  {
    std::vector<std::jthread> sweepers;
    for (int i = 0; i < 4; ++i) {
      sweepers.emplace_back([&] {
        const auto own = another();
        const auto report = must(sweep_if_due(*own, policy, clock->now()));
        if (!report) return;
        ++sweeps;
        archived += report->archived.size();
      });
    }
  }
  EXPECT_EQ(sweeps, 1u);
  EXPECT_EQ(archived, static_cast<std::size_t>(kSessions));
}

TEST_F(LifeTest, ShorterPeriodsReachSessionsThatWereWrittenBefore) {
  add(kReasoning, "reasoning-1");
  swept();
  EXPECT_FALSE(get("reasoning-1").due_at);
  policy.kinds[std::string(kReasoning)].archive_after = 3 * kDay;
  open();
  clock->set(kStart + 3 * kDay);
  EXPECT_EQ(swept().notices_created, 1u);
  EXPECT_EQ(get("reasoning-1").due_at, kStart + 3 * kDay);
  EXPECT_EQ(get("reasoning-1").updated_at, kStart) << "looking at the clock is no change";
}

TEST_F(LifeTest, PurgedSessionsAreGoneAndSaidToBe) {
  add(kThread, "thread-1");
  must(move("thread-1", soft_delete));
  sweep_at(kStart + 23 * kDay);
  EXPECT_THAT(sweep_at(kStart + 30 * kDay).purged, ElementsAre("thread-1"));
  const auto gone = store->get("thread-1");
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().word(), "gone");
  EXPECT_EQ(must(store->tombstone("thread-1"))->reason, "retention");
  EXPECT_THAT(must(list_notices(*store, "local", true, 10)).notices, IsEmpty());
}

}  // namespace
}  // namespace holdfast::session
