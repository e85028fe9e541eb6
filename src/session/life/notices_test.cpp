// threads-and-research §6.

#include "session/life/notices.h"

#include "session/life/test_life.h"

namespace holdfast::session {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> sessions_of(const NoticeList& list) {
  std::vector<std::string> ids;
  for (const Notice& notice : list.notices) ids.push_back(notice.session);
  return ids;
}

TEST_F(LifeTest, ANoticeSaysWhatHappensWhenAndWhatPreventsIt) {
  add(kThread, "thread-1");
  sweep_at(kStart + 5 * kDay);
  const NoticeList list = must(list_notices(*store, "local", false, 10));
  ASSERT_THAT(list.notices, SizeIs(1));
  const Notice& notice = list.notices.front();
  EXPECT_TRUE(notice.id.starts_with("ntc-"));
  EXPECT_EQ(notice.id.size(), 16u);
  EXPECT_EQ(notice.due_at, kStart + 7 * kDay);
  EXPECT_EQ(notice.effective_at, kStart + 7 * kDay);
  EXPECT_THAT(notice.text, HasSubstr("'title of thread-1' will be archived on " + iso8601(kStart + 7 * kDay)));
  const JsonObject shown = notice_json(notice);
  EXPECT_EQ(shown.at("action"), Json("archive"));
  EXPECT_EQ(shown.at("acked_at"), Json(nullptr));
}

TEST_F(LifeTest, TheNoticeInTheThreadIsNoMessageAndNoActivity) {
  add(kThread, "thread-1");
  say("thread-1", "hello");
  const SessionRecord before = get("thread-1");
  sweep_at(kStart + 5 * kDay);
  const SessionRecord after = get("thread-1");
  EXPECT_EQ(after.count_of("message"), 1);
  EXPECT_EQ(after.count_of("notice"), 1);
  EXPECT_EQ(after.last_activity_at, before.last_activity_at);
  EXPECT_EQ(after.due_at, before.due_at);
  EXPECT_EQ(after.rev, before.rev);
}

TEST_F(LifeTest, ItIsShownAtOnceThenOnceADayUntilAcknowledged) {
  add(kThread, "thread-1");
  sweep_at(kStart + 5 * kDay);
  EXPECT_THAT(must(take_notices(*store, "local", clock->now())).notices, SizeIs(1));
  EXPECT_THAT(must(take_notices(*store, "local", clock->now())).notices, IsEmpty());
  EXPECT_THAT(must(take_notices(*store, "local", clock->now() + kDay - 1)).notices, IsEmpty());
  EXPECT_THAT(must(take_notices(*store, "local", clock->now() + kDay)).notices, SizeIs(1));
  const std::string id = must(list_notices(*store, "local", false, 10)).notices.front().id;
  EXPECT_EQ(must(acknowledge(*store, "somebody", {id})), 0u);
  EXPECT_EQ(must(acknowledge(*store, "local", {"ntc-other"})), 0u);
  EXPECT_EQ(must(acknowledge(*store, "local", {id})), 1u);
  EXPECT_EQ(must(acknowledge(*store, "local", {id})), 0u);
  EXPECT_THAT(must(take_notices(*store, "local", clock->now() + 2 * kDay)).notices, IsEmpty());
  EXPECT_THAT(must(list_notices(*store, "local", false, 10)).notices, IsEmpty());
  const NoticeList all = must(list_notices(*store, "local", true, 10));
  ASSERT_THAT(all.notices, SizeIs(1));
  EXPECT_TRUE(all.notices.front().acked_at);
  EXPECT_THAT(sweep_at(kStart + 7 * kDay).archived, SizeIs(1)) << "acknowledged is read, not kept";
}

TEST_F(LifeTest, AtMostFiveAtOnceAndTheRestIsCounted) {
  for (int i = 0; i < 8; ++i) add(kThread, "thread-" + std::to_string(i));
  sweep_at(kStart + 5 * kDay);
  const NoticeList first = must(take_notices(*store, "local", clock->now()));
  EXPECT_THAT(first.notices, SizeIs(5));
  EXPECT_EQ(first.more, 3u);
  const NoticeList second = must(take_notices(*store, "local", clock->now()));
  EXPECT_THAT(second.notices, SizeIs(3));
  EXPECT_EQ(second.more, 0u);
  EXPECT_EQ(must(acknowledge(*store, "local", {})), 8u);
  const NoticeList listed = must(list_notices(*store, "local", true, 3));
  EXPECT_THAT(listed.notices, SizeIs(3));
  EXPECT_EQ(listed.more, 5u);
}

TEST_F(LifeTest, AnotherPrincipalSeesNothing) {
  add(kThread, "thread-1");
  sweep_at(kStart + 5 * kDay);
  EXPECT_THAT(must(list_notices(*store, "loca", true, 10)).notices, IsEmpty());
  EXPECT_THAT(must(take_notices(*store, "local2", clock->now())).notices, IsEmpty());
}

TEST_F(LifeTest, PinningMakesItObsoleteAndUnpinningNeedsANewOne) {
  add(kThread, "thread-1");
  sweep_at(kStart + 6 * kDay);
  const std::string first = must(list_notices(*store, "local", false, 10)).notices.front().id;
  must(pin("thread-1", true));
  EXPECT_THAT(must(list_notices(*store, "local", true, 10)).notices, IsEmpty());
  clock->set(kStart + 10 * kDay);
  must(pin("thread-1", false));
  EXPECT_THAT(swept().archived, IsEmpty());
  const NoticeList again = must(list_notices(*store, "local", false, 10));
  ASSERT_THAT(again.notices, SizeIs(1));
  EXPECT_NE(again.notices.front().id, first);
  EXPECT_EQ(again.notices.front().effective_at, kStart + 11 * kDay);
}

TEST_F(LifeTest, AStepTakenClosesItsNotice) {
  add(kThread, "thread-1");
  sweep_at(kStart + 6 * kDay);
  sweep_at(kStart + 7 * kDay);
  EXPECT_THAT(sessions_of(must(list_notices(*store, "local", true, 10))), IsEmpty());
}

}  // namespace
}  // namespace holdfast::session
