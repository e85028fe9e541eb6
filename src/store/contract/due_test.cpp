// due_at belongs to the store: the rule it was opened with is asked at every write, and again when it changed.

#include "store/contract/fixture.h"

namespace holdfast::store {
namespace {

using namespace session;
using testing::ElementsAre;
using testing::IsEmpty;

TEST_P(DueContract, FollowsEveryWrite) {
  SessionRecord made = create("a");
  EXPECT_EQ(made.due_at, kStart + kPeriod);
  EXPECT_EQ(due("a"), kStart + kPeriod);

  clock_->advance(10);
  append("a", "activity");
  EXPECT_EQ(due("a"), kStart + 10 + kPeriod);

  clock_->advance(10);
  NewEntry notice = note("a notice keeps nothing alive");
  notice.touch = Touch::nothing;
  append("a", notice);
  EXPECT_EQ(due("a"), kStart + 10 + kPeriod);
  must(store_->write([](Transaction& t) { return t.redact("a", 1); }));
  must(store_->write([](Transaction& t) { return t.note_access("a"); }));
  EXPECT_EQ(due("a"), kStart + 10 + kPeriod);

  SessionRecord record = must(store_->get("a"));
  record.visibility = Visibility::archived;
  record.archived_at = clock_->now();
  EXPECT_EQ(update(record).due_at, kStart + 20 + 2 * kPeriod);
  record = must(store_->get("a"));
  record.pinned = true;
  EXPECT_EQ(update(record, Touch::nothing).due_at, std::nullopt);
  reopen();
  EXPECT_EQ(due("a"), std::nullopt);
  EXPECT_TRUE(must(store_->integrity()).ok);
}

TEST_P(DueContract, WhatACallerPutsThereIsIgnored) {
  SessionRecord mine = record("a");
  mine.due_at = 5;
  mine = create(mine);
  EXPECT_EQ(mine.due_at, kStart + kPeriod);
  mine.due_at.reset();
  EXPECT_EQ(update(mine).due_at, kStart + kPeriod);
}

TEST_P(DueContract, WithoutARuleNothingIsDue) {
  due_ = nullptr;
  reopen();
  SessionRecord mine = record("a");
  mine.due_at = 5;
  EXPECT_EQ(create(mine).due_at, std::nullopt);
  EXPECT_THAT(due_until(kStart * 2), IsEmpty());
}

TEST_P(DueContract, IsFoundAtItsInstantAndNotBefore) {
  create("a");
  clock_->advance(1);
  create("b");
  SessionRecord pinned = record("c");
  pinned.pinned = true;
  create(pinned);
  EXPECT_THAT(due_until(kStart + kPeriod - 1), IsEmpty());
  EXPECT_THAT(due_until(kStart + kPeriod), ElementsAre("a"));
  EXPECT_THAT(due_until(kStart + kPeriod + 1), ElementsAre("a", "b"));
  append("a", "saved");
  EXPECT_THAT(due_until(kStart + kPeriod), IsEmpty());
  EXPECT_THAT(due_until(kStart * 2), ElementsAre("a", "b"));
}

TEST_P(DueContract, IsRefreshedAfterTheRuleChanged) {
  for (int i = 0; i < 5; ++i) create("s" + std::to_string(i));
  const SessionRecord before = must(store_->get("s3"));
  const std::int64_t last = must(store_->last_sequence());
  due_ = [](const SessionRecord& record) { return std::optional<Millis>(record.last_activity_at + 2 * kPeriod); };
  reopen();
  clock_->advance(50);
  EXPECT_EQ(due("s3"), kStart + kPeriod);

  std::vector<std::string> stations;
  std::string after;
  do {
    after = must(store_->write([&](Transaction& t) { return t.refresh_due(after, 2); }));
    stations.push_back(after);
  } while (!after.empty());
  EXPECT_THAT(stations, ElementsAre("s1", "s3", ""));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(due("s" + std::to_string(i)), kStart + 2 * kPeriod) << i;
  const SessionRecord now = must(store_->get("s3"));
  EXPECT_EQ(now.rev, before.rev);
  EXPECT_EQ(now.updated_at, before.updated_at);
  EXPECT_EQ(must(store_->last_sequence()), last);  // nobody is told
  EXPECT_TRUE(must(store_->integrity()).ok);
}

}  // namespace
}  // namespace holdfast::store
