// threads-and-research §3 and §4: every allowed move is taken, every other refused with nothing changed.

#include "session/life/test_life.h"

namespace holdfast::session {
namespace {

using testing::ElementsAre;

enum class MoveOutcome { changes, stands_still, refused };

struct Case {
  std::string_view kind, status;
  Visibility from;
  std::string_view move;
  MoveOutcome wanted;
  Visibility to;
};

LifeTest::Move function_of(std::string_view move) {
  if (move == "archive") return archive;
  if (move == "unarchive") return unarchive;
  if (move == "delete") return soft_delete;
  return restore;
}

struct MoveTest : LifeTest, testing::WithParamInterface<Case> {};

TEST_P(MoveTest, TakesItOrRefusesIt) {
  const Case& c = GetParam();
  add(c.kind, "id-1", c.status);
  if (c.from == Visibility::archived) must(move("id-1", archive));
  if (c.from == Visibility::deleted) must(move("id-1", soft_delete));
  const SessionRecord before = get("id-1");
  clock->advance(1000);

  const auto moved = move("id-1", function_of(c.move));
  const SessionRecord after = get("id-1");
  EXPECT_EQ(after.visibility, c.to);
  switch (c.wanted) {
    case MoveOutcome::changes:
      ASSERT_TRUE(moved) << moved.error().message;
      EXPECT_TRUE(moved->changed);
      EXPECT_EQ(after.rev, before.rev + 1);
      break;
    case MoveOutcome::stands_still:
      ASSERT_TRUE(moved) << moved.error().message;
      EXPECT_FALSE(moved->changed);
      EXPECT_EQ(after.rev, before.rev);
      EXPECT_EQ(after.updated_at, before.updated_at);
      break;
    case MoveOutcome::refused:
      ASSERT_FALSE(moved);
      EXPECT_FALSE(moved.error().hint.empty());
      EXPECT_EQ(after.rev, before.rev);
      EXPECT_EQ(after.status, before.status);
      break;
  }
}

constexpr std::array kCases = [] {
  using enum Visibility;
  using enum MoveOutcome;
  return std::array{
      Case{kThread, "created", live, "archive", changes, archived},
      Case{kThread, "active", live, "archive", changes, archived},
      Case{kThread, "active", archived, "archive", stands_still, archived},
      Case{kThread, "active", deleted, "archive", refused, deleted},
      Case{kThread, "active", live, "unarchive", stands_still, live},
      Case{kThread, "created", archived, "unarchive", changes, live},
      Case{kThread, "active", deleted, "unarchive", refused, deleted},
      Case{kThread, "created", live, "delete", changes, deleted},
      Case{kThread, "active", archived, "delete", changes, deleted},
      Case{kThread, "active", deleted, "delete", stands_still, deleted},
      Case{kThread, "active", live, "restore", stands_still, live},
      Case{kThread, "active", archived, "restore", stands_still, archived},
      Case{kThread, "active", deleted, "restore", changes, live},
      Case{kResearch, "started", live, "archive", refused, live},
      Case{kResearch, "in_progress", live, "archive", refused, live},
      Case{kResearch, "completed", live, "archive", changes, archived},
      Case{kResearch, "failed", live, "archive", changes, archived},
      Case{kResearch, "cancelled", live, "archive", changes, archived},
      Case{kResearch, "completed", archived, "unarchive", changes, live},
      Case{kResearch, "in_progress", live, "delete", changes, deleted},
      Case{kResearch, "completed", archived, "delete", changes, deleted},
      Case{kResearch, "completed", deleted, "restore", changes, live},
      Case{kReasoning, "active", live, "archive", changes, archived},
      Case{kReasoning, "completed", live, "delete", changes, deleted},
      Case{kDocument, "open", live, "archive", changes, archived},
      Case{kRun, "running", live, "archive", refused, live},
      Case{kRun, "completed", live, "archive", changes, archived},
      Case{"letters", "new", live, "archive", changes, archived},
  };
}();
INSTANTIATE_TEST_SUITE_P(Table3And4, MoveTest, testing::ValuesIn(kCases));

TEST_F(LifeTest, Row5_UnarchivingIsActivityAndKeepsTheStatus) {
  add(kThread, "thread-1", "created");
  must(move("thread-1", archive));
  EXPECT_TRUE(get("thread-1").archived_at);
  clock->advance(5 * kDay);
  must(move("thread-1", unarchive));
  const SessionRecord back = get("thread-1");
  EXPECT_EQ(back.status, "created");
  EXPECT_FALSE(back.archived_at);
  EXPECT_EQ(back.last_activity_at, clock->now());
}

TEST_F(LifeTest, Row8_RestoringRestartsTheClockOfTheStageItCameFrom) {
  add(kThread, "thread-1");
  must(move("thread-1", archive));
  clock->advance(89 * kDay);
  must(move("thread-1", soft_delete));
  EXPECT_EQ(restorable_until(get("thread-1"), policy), clock->now() + 30 * kDay);
  clock->advance(10 * kDay);
  must(move("thread-1", restore));
  const SessionRecord back = get("thread-1");
  EXPECT_EQ(back.visibility, Visibility::archived);
  EXPECT_EQ(back.archived_at, clock->now());
  EXPECT_EQ(back.due_at, clock->now() + 90 * kDay);
  EXPECT_FALSE(restorable_until(back, policy));
}

TEST_F(LifeTest, RowsBAndD_ACompletedRunIsAnchoredAnew) {
  add(kResearch, "research-1", "completed");
  EXPECT_EQ(get("research-1").due_at, kStart + 90 * kDay);
  must(move("research-1", archive));
  clock->advance(kDay);
  must(move("research-1", unarchive));
  EXPECT_EQ(get("research-1").retention_anchor_at, kStart + kDay);
  EXPECT_EQ(get("research-1").due_at, kStart + 91 * kDay);
  EXPECT_EQ(get("research-1").completed_at, kStart);
}

TEST_F(LifeTest, RowC_DeletingARunningRunCancelsItInTheSameTransaction) {
  add(kResearch, "research-1", "in_progress");
  must(move("research-1", soft_delete));
  EXPECT_EQ(get("research-1").status, "cancelled");
  must(move("research-1", restore));
  EXPECT_EQ(get("research-1").status, "cancelled") << "a restored run does not pretend to be working";
}

TEST_F(LifeTest, PinningIsNoActivity) {
  add(kThread, "thread-1");
  clock->advance(kDay);
  EXPECT_TRUE(must(pin("thread-1", true)).changed);
  EXPECT_FALSE(must(pin("thread-1", true)).changed);
  EXPECT_EQ(get("thread-1").last_activity_at, kStart);
  EXPECT_FALSE(get("thread-1").due_at);
  must(pin("thread-1", false));
  EXPECT_EQ(get("thread-1").due_at, kStart + 7 * kDay);
}

TEST_F(LifeTest, AllowedMovesAreThoseThatWouldChangeIt) {
  EXPECT_THAT(allowed_moves(add(kThread, "thread-1")), ElementsAre("archive", "delete", "purge", "pin"));
  EXPECT_THAT(allowed_moves(must(move("thread-1", archive)).record), ElementsAre("unarchive", "delete", "purge", "pin"));
  EXPECT_THAT(allowed_moves(must(move("thread-1", soft_delete)).record), ElementsAre("restore", "purge", "pin"));
  EXPECT_THAT(allowed_moves(add(kResearch, "research-1", "started")), ElementsAre("delete", "purge", "pin"));
}

}  // namespace
}  // namespace holdfast::session
