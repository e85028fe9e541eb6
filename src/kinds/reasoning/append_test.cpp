// Attaching and numbering, clause by clause (reasoning-sessions §5, §10).

#include "kinds/reasoning/append.h"

#include "kinds/reasoning/begin.h"
#include "kinds/reasoning/read/recover.h"
#include "kinds/reasoning/test_ledger.h"

#include <thread>

namespace holdfast::reasoning {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct AppendTest : LedgerTest {};

TEST_F(AppendTest, A1_TheFirstThoughtBeginsASessionOfTheRoot) {
  const AppendOutcome made = append(connect("c1"), "Find out why the build is slow. Then mend it.");
  EXPECT_EQ(made.attached, Attached::fresh);
  EXPECT_EQ(made.thought.number, 1);
  EXPECT_EQ(made.record.title, "Find out why the build is slow");
  EXPECT_EQ(made.record.root_uri, kRoot);
  EXPECT_EQ(made.record.project, "app");
  EXPECT_EQ(made.record.status, "active");
}

TEST_F(AppendTest, A1_TheActiveSessionGoesOn) {
  const Situation caller = connect("c1");
  const std::string id = append(caller, "one").record.id;
  const AppendOutcome second = append(caller, "two");
  EXPECT_EQ(second.attached, Attached::current);
  EXPECT_EQ(second.record.id, id);
  EXPECT_EQ(second.thought.number, 2);
}

TEST_F(AppendTest, A1_AHandleWinsAndBecomesActive) {
  const std::string first = append(connect("c1"), "one").record.id;
  ThoughtRequest other = thought("elsewhere");
  other.new_session = true;
  const Situation caller = connect("c2");
  append(caller, other);
  ThoughtRequest by_handle = thought("two");
  by_handle.session_id = first;
  EXPECT_EQ(append(caller, by_handle).attached, Attached::handle);
  EXPECT_EQ(append(caller, "three").record.id, first);
}

// The incident: connections replaced again and again, no id ever passed.
TEST_F(AppendTest, A2_TwoHundredThoughtsOverManyConnectionsAreOneChain) {
  for (int i = 1; i <= 200; ++i) {
    clock->advance(60'000);
    const AppendOutcome made = append(connect("c" + std::to_string(i / 7)), "thought " + std::to_string(i));
    EXPECT_EQ(made.thought.number, i);
    if (i % 50 == 0) open();
  }
  ASSERT_THAT(sessions(), SizeIs(1));
  EXPECT_THAT(all(sessions().front().id), SizeIs(200));
}

TEST_F(AppendTest, A2_SaysWhatWasRecovered) {
  append(connect("c1"), "one");
  append(connect("c1"), "two");
  clock->advance(120'000);
  const AppendOutcome made = append(connect("c2"), "three");
  EXPECT_EQ(made.attached, Attached::recovered);
  ASSERT_TRUE(made.recovered);
  EXPECT_EQ(made.recovered->thought_count, 2);
  EXPECT_EQ(made.recovered->age_seconds, 120);
}

TEST_F(AppendTest, A2_WithoutConnectionsEveryRequestRecovers) {
  for (int i = 1; i <= 10; ++i) EXPECT_EQ(append(modern(), "thought " + std::to_string(i)).thought.number, i);
  EXPECT_THAT(sessions(), SizeIs(1));
}

TEST_F(AppendTest, A2_OutsideTheWindowBeginsANewOne) {
  append(connect("c1"), "one");
  clock->advance(kAttachWindow + 1);
  EXPECT_EQ(append(connect("c2"), "two").attached, Attached::fresh);
}

TEST_F(AppendTest, A2_AtTheEdgeOfTheWindowStillRecovers) {
  append(connect("c1"), "one");
  clock->advance(kAttachWindow);
  EXPECT_EQ(append(connect("c2"), "two").attached, Attached::recovered);
}

TEST_F(AppendTest, A2_SeveralOpenSessionsAreNotGuessedAmong) {
  append(connect("c1"), "one");
  ThoughtRequest other = thought("another");
  other.new_session = true;
  append(connect("c2"), other);
  const AppendOutcome made = append(connect("c3"), "which?");
  EXPECT_EQ(made.attached, Attached::fresh);
  ASSERT_THAT(made.notices, SizeIs(1));
  EXPECT_THAT(made.notices.front(), HasSubstr("several open ones"));
  EXPECT_THAT(made.notices.front(), HasSubstr("sessionId"));
}

TEST_F(AppendTest, A2_Scenario7_WithSeveralOpenOnesAConnectionPerCallStillMakesOneChain) {
  ThoughtRequest request = thought("one");
  request.new_session = true;
  append(connect("c1"), request);
  append(connect("c2"), request);
  for (int i = 1; i <= 10; ++i) EXPECT_EQ(append(connect("call" + std::to_string(i)), "t" + std::to_string(i)).thought.number, i);
  EXPECT_THAT(sessions(), SizeIs(3));
}

TEST_F(AppendTest, A2_WhatOthersUseDoesNotMakeItSeveral) {
  const std::string mine = append(connect("c1"), "one").record.id;
  ThoughtRequest other = thought("theirs");
  other.new_session = true;
  append(connect("c2"), other);
  attached.insert("c2");
  EXPECT_EQ(append(connect("c3"), "two").record.id, mine);
}

TEST_F(AppendTest, A2_ASessionInUseIsNotTaken) {
  append(connect("c1"), "one");
  attached.insert("c1");
  const AppendOutcome made = append(connect("c2"), "two");
  EXPECT_EQ(made.attached, Attached::fresh);
  EXPECT_THAT(made.notices.front(), HasSubstr("in use"));
}

TEST_F(AppendTest, A2_ACallSinceThisConnectionOpenedIsUse) {
  const Situation first = connect("c1");
  append(first, "one");
  clock->advance(1000);
  const Situation second = connect("c2");
  clock->advance(1000);
  append(first, "two");
  EXPECT_EQ(append(second, "mine").attached, Attached::fresh);
}

TEST_F(AppendTest, A2_AnEndedStdioPeerDoesNotLockItsSuccessorOut) {
  Situation first = connect("s1");
  first.connection.transport = "stdio";
  append(first, "one");
  Situation second = connect("s2");
  second.connection.opened_at = kStart - 1000;
  EXPECT_EQ(append(second, "two").attached, Attached::recovered);
}

TEST_F(AppendTest, A2_WhoClosedOrStartedASessionIsNotAttachedAgain) {
  append(connect("c1"), "somebody's");
  const Situation caller = connect("c2");
  const Started started = must(start_session(*store, {}, caller));
  must(close_session(*store, started.record.id, "completed", now(caller)));
  EXPECT_EQ(append(caller, "anew").attached, Attached::fresh);
}

TEST_F(AppendTest, A2_CanBeSwitchedOff) {
  append(connect("c1"), "one");
  Situation caller = connect("c2");
  caller.auto_attach = false;
  EXPECT_EQ(append(caller, "two").attached, Attached::fresh);
}

TEST_F(AppendTest, A2_NotForAnotherRootOrPrincipal) {
  append(connect("c1"), "one");
  EXPECT_EQ(append(connect("c2", {"file:///home/me/app2"}), "two").attached, Attached::fresh);
  Situation stranger = connect("c3");
  stranger.principal = "somebody";
  EXPECT_EQ(append(stranger, "three").attached, Attached::fresh);
}

TEST_F(AppendTest, A3_TheSameTitleAgainHasNoEffect) {
  const Situation caller = connect("c1");
  ThoughtRequest request = thought("one");
  request.session_title = "Retries";
  append(caller, request);
  request.text = "two";
  EXPECT_EQ(append(caller, request).thought.number, 2);
  EXPECT_THAT(sessions(), SizeIs(1));
}

TEST_F(AppendTest, A3_TheSameTitleWithAConnectionPerCallIsTheSameSession) {
  ThoughtRequest request = thought("one");
  request.session_title = "Retries";
  const std::string id = append(modern(), request).record.id;
  request.session_title = "Timeouts";
  EXPECT_NE(append(modern(), request).record.id, id);
  request.session_title = "Retries";
  request.text = "two";
  EXPECT_EQ(append(modern(), request).record.id, id);
  EXPECT_EQ(append(connect("c2"), request).record.id, id);
  EXPECT_THAT(sessions(), SizeIs(2));
}

TEST_F(AppendTest, A3_AnotherTitleBeginsAnotherSession) {
  const Situation caller = connect("c1");
  ThoughtRequest request = thought("one");
  request.session_title = "Retries";
  const std::string first = append(caller, request).record.id;
  request.session_title = "Timeouts";
  const AppendOutcome made = append(caller, request);
  EXPECT_EQ(made.previous_session, first);
  EXPECT_EQ(made.thought.number, 1);
  EXPECT_EQ(must(store->get(first)).status, "active");
}

TEST_F(AppendTest, A4_ThoughtsOfOthersAreAnnounced) {
  const Situation one = connect("c1");
  const std::string id = append(one, "one").record.id;
  ThoughtRequest joining = thought("two");
  joining.session_id = id;
  append(connect("c2"), joining);
  const AppendOutcome made = append(one, "three");
  ASSERT_THAT(made.notices, SizeIs(1));
  EXPECT_THAT(made.notices.front(), HasSubstr("1 thought was added"));
  EXPECT_THAT(append(one, "four").notices, IsEmpty());
}

TEST_F(AppendTest, T2_GapsAndBackwardNumbersAreKept) {
  const Situation caller = connect("c1");
  for (const std::int64_t number : {5, 4, 9}) {
    ThoughtRequest request = thought("t" + std::to_string(number));
    request.number = number;
    EXPECT_EQ(append(caller, request).thought.number, number);
  }
  EXPECT_EQ(append(caller, "next").thought.number, 10);
}

TEST_F(AppendTest, T3_NumbersOutsideAreRefused) {
  const Situation caller = connect("c1");
  for (const std::int64_t number : {std::int64_t{0}, std::int64_t{-3}, std::int64_t{1'000'001}, std::int64_t{1'000'000'000}}) {
    ThoughtRequest request = thought("x");
    request.number = number;
    EXPECT_EQ(refusal(caller, request), "invalid_argument") << number;
  }
  EXPECT_THAT(sessions(), IsEmpty());
}

TEST_F(AppendTest, T4_ATakenNumberIsNeverOverwritten) {
  const Situation caller = connect("c1");
  ThoughtRequest request = thought("first");
  request.number = 3;
  const std::string id = append(caller, request).record.id;
  request.text = "second";
  const AppendOutcome made = append(caller, request);
  EXPECT_EQ(made.thought.number, 4);
  EXPECT_EQ(made.requested_number, 3);
  EXPECT_EQ(all(id).front().text, "first");
}

TEST_F(AppendTest, T4_TheSameNumberAndTextIsARetry) {
  const Situation caller = connect("c1");
  ThoughtRequest request = thought("same");
  request.number = 1;
  append(caller, request);
  const AppendOutcome again = append(caller, request);
  EXPECT_TRUE(again.replayed);
  EXPECT_THAT(all(again.record.id), SizeIs(1));
}

TEST_F(AppendTest, T4_AKeyIsAnsweredOnceAcrossConnectionsAndRestarts) {
  ThoughtRequest request = thought("same");
  request.idempotency_key = "k1";
  const AppendOutcome first = append(modern(), request);
  open();
  request.text = "sent again";
  const AppendOutcome again = append(connect("c9"), request);
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(again.record.id, first.record.id);
  EXPECT_EQ(again.thought.text, "same");
  EXPECT_THAT(sessions(), SizeIs(1));
}

TEST_F(AppendTest, T4_AKeyIsFoundAmongSeveralOpenSessions) {
  ThoughtRequest request = thought("one");
  request.new_session = true;
  append(connect("c1"), request);
  append(connect("c2"), request);
  ThoughtRequest keyed = thought("three");
  keyed.idempotency_key = "k";
  const AppendOutcome first = append(modern(), keyed);
  EXPECT_EQ(first.attached, Attached::fresh);
  EXPECT_EQ(append(modern(), keyed).record.id, first.record.id);
  EXPECT_THAT(sessions(), SizeIs(3));
}

TEST_F(AppendTest, T4_ACallThatBeginsASessionBeginsOne) {
  ThoughtRequest request = thought("the first");
  request.new_session = true;
  request.idempotency_key = "k";
  const AppendOutcome first = append(connect("c1"), request);
  EXPECT_EQ(first.attached, Attached::fresh);
  for (const Situation& caller : {connect("c1"), connect("c2"), modern()}) {
    const AppendOutcome again = append(caller, request);
    EXPECT_TRUE(again.replayed);
    EXPECT_EQ(again.record.id, first.record.id);
    EXPECT_EQ(again.thought.number, 1);
  }
  EXPECT_THAT(sessions(), SizeIs(1));
  // Another text is another thought.
  request.text = "something else";
  EXPECT_NE(append(modern(), request).record.id, first.record.id);
}

TEST_F(AppendTest, T5_ABranchNeedsAnOriginThatExists) {
  const Situation caller = connect("c1");
  append(caller, "one");
  ThoughtRequest request = thought("branch");
  request.branch = "a";
  EXPECT_EQ(refusal(caller, request), "branch_origin_required");
  request.branch_from = 99;
  EXPECT_EQ(refusal(caller, request), "branch_origin_missing");
  request.branch.reset();
  request.branch_from = 1;
  EXPECT_EQ(refusal(caller, request), "branch_id_required");
}

TEST_F(AppendTest, T6_ABranchGoesOnByItsNameAlone) {
  const Situation caller = connect("c1");
  for (const char* text : {"one", "two", "three", "four"}) append(caller, text);
  ThoughtRequest request = thought("a1");
  request.branch = "a";
  request.branch_from = 2;
  EXPECT_EQ(append(caller, request).thought.number, 3);
  request.branch_from.reset();
  request.text = "a2";
  EXPECT_EQ(append(caller, request).thought.number, 4);
  request.branch_from = 2;
  request.text = "a3";
  EXPECT_EQ(append(caller, request).thought.number, 5);
  request.branch_from = 3;
  EXPECT_EQ(refusal(caller, request), "branch_origin_mismatch");
  EXPECT_EQ(append(caller, "five").thought.number, 5);
}

TEST_F(AppendTest, T6_AnyTextMayNameABranch) {
  const Situation caller = connect("c1");
  append(caller, "one");
  ThoughtRequest request = thought("x");
  request.branch_from = 1;
  request.branch = "../../..";
  const AppendOutcome made = append(caller, request);
  EXPECT_THAT(branches_of(made.record), ElementsAre("../../.."));
  request.branch = std::string(129, 'x');
  EXPECT_EQ(refusal(caller, request), "invalid_argument");
  request.branch = "a\nb";
  EXPECT_EQ(refusal(caller, request), "invalid_argument");
  request.branch = "";
  EXPECT_EQ(refusal(caller, request), "invalid_argument");
}

TEST_F(AppendTest, T7_ARevisionPointsAtWhatExists) {
  const Situation caller = connect("c1");
  append(caller, "one");
  ThoughtRequest request = thought("better");
  request.revises = 99;
  EXPECT_EQ(refusal(caller, request), "revision_target_missing");
  request.revises = 2;  // itself
  request.number = 2;
  EXPECT_EQ(refusal(caller, request), "revision_target_missing");
  request.revises.reset();
  request.is_revision = true;
  EXPECT_EQ(refusal(caller, request), "revision_target_required");
  request.revises = 1;
  const AppendOutcome made = append(caller, request);
  EXPECT_EQ(made.thought.revises, 1);
  EXPECT_THAT(all(made.record.id), SizeIs(2));
}

TEST_F(AppendTest, T7_FromABranchTheMainChainCanBeRevised) {
  const Situation caller = connect("c1");
  append(caller, "one");
  append(caller, "two");
  ThoughtRequest request = thought("a");
  request.branch = "a";
  request.branch_from = 2;
  request.revises = 1;
  EXPECT_TRUE(append(caller, request).thought.revises_main);
}

TEST_F(AppendTest, T8_TheLastThoughtClosesTheSession) {
  const Situation caller = connect("c1");
  append(caller, "one");
  ThoughtRequest last = thought("done");
  last.next_needed = false;
  const AppendOutcome made = append(caller, last);
  EXPECT_TRUE(made.closed);
  ASSERT_TRUE(made.manifest);
  EXPECT_EQ(find_object(*made.manifest, "thoughtCounts")->at("total").as_int64(), 2);
  const session::SessionRecord stored = must(store->get(made.record.id));
  EXPECT_EQ(stored.status, "completed");
  EXPECT_TRUE(stored.completed_at);
  EXPECT_EQ(must(load_connection(*store, "c1"))->active_session, "");
  EXPECT_EQ(thought_count(stored), 2);
}

TEST_F(AppendTest, T8_ClosingTwiceIsReplayedWithTheManifest) {
  ThoughtRequest last = thought("done");
  last.next_needed = false;
  last.idempotency_key = "k";
  const Situation caller = connect("c1");
  const std::string id = append(caller, last).record.id;
  last.session_id = id;
  const AppendOutcome again = append(caller, last);
  EXPECT_TRUE(again.replayed);
  EXPECT_TRUE(again.closed);
  EXPECT_TRUE(again.manifest);
}

TEST_F(AppendTest, T4_TheClosingCallSentAgainWithoutAnIdIsReplayed) {
  ThoughtRequest last = thought("done");
  last.next_needed = false;
  last.idempotency_key = "k";
  const std::string id = append(modern(), last).record.id;
  for (const Situation& caller : {modern(), connect("c2")}) {
    const AppendOutcome again = append(caller, last);
    EXPECT_TRUE(again.replayed);
    EXPECT_TRUE(again.manifest);
    EXPECT_EQ(again.record.id, id);
  }
  last.text = "another thought under a key of another session";
  EXPECT_FALSE(append(modern(), last).replayed);
}

TEST_F(AppendTest, T8_ABranchCompletesAlone) {
  const Situation caller = connect("c1");
  append(caller, "one");
  ThoughtRequest request = thought("a");
  request.branch = "a";
  request.branch_from = 1;
  request.next_needed = false;
  const AppendOutcome made = append(caller, request);
  EXPECT_TRUE(made.branch_completed);
  EXPECT_FALSE(made.closed);
  EXPECT_EQ(must(store->get(made.record.id)).status, "active");
}

TEST_F(AppendTest, S4_AThoughtReopensAClosedSession) {
  const Situation caller = connect("c1");
  ThoughtRequest last = thought("done");
  last.next_needed = false;
  const std::string id = append(caller, last).record.id;
  ThoughtRequest more = thought("not quite");
  more.session_id = id;
  const AppendOutcome made = append(caller, more);
  EXPECT_TRUE(made.reopened);
  EXPECT_EQ(made.thought.number, 2);
  const session::SessionRecord stored = must(store->get(id));
  EXPECT_EQ(stored.status, "active");
  EXPECT_FALSE(stored.completed_at);
}

TEST_F(AppendTest, TextIsKeptByteForByte) {
  const std::string odd = "  tabs\t and \r\n lines, \xF0\x9F\x98\x80  ";
  const AppendOutcome made = append(connect("c1"), odd);
  EXPECT_EQ(all(made.record.id).front().text, odd);
}

TEST_F(AppendTest, BlankAndOverlongThoughtsAreRefused) {
  EXPECT_EQ(refusal(connect("c1"), thought(" \n\t")), "invalid_argument");
  EXPECT_EQ(refusal(connect("c1"), thought(std::string(kMaxThoughtBytes + 1, 'x'))), "invalid_argument");
}

TEST_F(AppendTest, A1_UnknownAndArchivedHandlesAreRefused) {
  const Situation caller = connect("c1");
  ThoughtRequest request = thought("x");
  request.session_id = "0199ffff-0000-7000-8000-000000000000";
  EXPECT_EQ(refusal(caller, request), "not_found");
  const std::string id = append(caller, "one").record.id;
  must(store->write([&](session::Transaction& transaction) -> Result<void> {
    HF_TRY(session::SessionRecord record, transaction.get(id));
    record.visibility = session::Visibility::archived;
    HF_CHECK(transaction.update(std::move(record)));
    return {};
  }));
  request.session_id = id;
  EXPECT_EQ(refusal(caller, request), "refused");
}

TEST_F(AppendTest, A1_AnArchivedSessionIsNoLongerTheOpenOne) {
  const Situation caller = connect("c1");
  const std::string id = append(caller, "one").record.id;
  must(store->write([&](session::Transaction& transaction) -> Result<void> {
    HF_TRY(session::SessionRecord record, transaction.get(id));
    record.visibility = session::Visibility::archived;
    HF_CHECK(transaction.update(std::move(record)));
    return {};
  }));
  const AppendOutcome next = append(caller, "two");
  EXPECT_EQ(next.attached, Attached::fresh);
  EXPECT_THAT(next.notices, Contains(HasSubstr("is archived")));
}

TEST_F(AppendTest, A2_WhoClosedAnothersSessionIsNotAttachedAgain) {
  append(connect("c1"), "somebody's");
  const std::string closed = must(start_session(*store, {}, connect("c2"))).record.id;
  const Situation caller = connect("c3");
  must(close_session(*store, closed, "completed", now(caller)));
  EXPECT_EQ(append(caller, "anew").attached, Attached::fresh);
}

TEST_F(AppendTest, A4_LoadingWithoutRecentThoughtsCountsAsHavingSeenThem) {
  const std::string id = append(connect("c1"), "one").record.id;
  const Situation caller = connect("c2");
  LoadRequest load;
  load.session_id = id;
  load.recent = 0;
  must(load_session(*store, load, caller));
  EXPECT_THAT(append(caller, "two").notices, IsEmpty());
}

TEST_F(AppendTest, S5_TheFirstThoughtNamesASessionThatWasStartedWithoutATitle) {
  const Situation caller = connect("c1");
  must(start_session(*store, {}, caller));
  EXPECT_EQ(append(caller, "Why the cache drops e.g. keys. More.").record.title, "Why the cache drops e.g. keys");
  EXPECT_EQ(append(caller, "Another sentence.").record.title, "Why the cache drops e.g. keys");
}

TEST_F(AppendTest, T1_D6_ManyWritersNeverShareANumber) {
  const std::string id = append(connect("c0"), "one").record.id;
  std::vector<std::jthread> writers;
  for (int w = 0; w < 4; ++w)
    writers.emplace_back([&, w] {
      store::OpenOptions options;
      options.clock = clock;
      auto mine = must(store::open_store("sqlite:" + (folder / "store.db"), options));
      for (int i = 0; i < 25; ++i) {
        ThoughtRequest request = thought("w" + std::to_string(w) + "/" + std::to_string(i));
        request.session_id = id;
        must(append_thought(*mine, request, modern()));
      }
    });
  writers.clear();
  std::set<std::int64_t> numbers;
  std::set<std::string> texts;
  for (const Thought& each : all(id)) {
    numbers.insert(each.number);
    texts.insert(each.text);
  }
  EXPECT_THAT(numbers, SizeIs(101));
  EXPECT_THAT(texts, SizeIs(101));
  EXPECT_EQ(*numbers.rbegin(), 101);
}

}  // namespace
}  // namespace holdfast::reasoning
