// Finding a session again (reasoning-sessions §4, L1-L5; §11).

#include "kinds/reasoning/read/recover.h"

#include "kinds/reasoning/begin.h"
#include "kinds/reasoning/test_ledger.h"

namespace holdfast::reasoning {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct RecoverTest : LedgerTest {
  Result<Loaded> try_load(const Situation& situation, LoadRequest request = {}) {
    return load_session(*store, request, situation.has_connection() ? now(situation) : situation);
  }
  Loaded load(const Situation& situation, LoadRequest request = {}) { return must(try_load(situation, std::move(request))); }
  std::string word(const Situation& situation, LoadRequest request = {}) {
    auto loaded = try_load(situation, std::move(request));
    return loaded ? "loaded" : std::string(loaded.error().word());
  }
  // A session of its own, with this title.
  std::string session(const std::string& title, const std::string& root = kRoot) {
    clock->advance(1000);
    ThoughtRequest request = thought("about " + title);
    request.session_title = title;
    request.new_session = true;
    return append(connect("maker-" + title, {root}), request).record.id;
  }
};

TEST_F(RecoverTest, L2_Scenario1_TheSessionOfTheRootComesBackWithItsNextNumber) {
  std::string id;
  for (int i = 1; i <= 47; ++i) id = append(connect("c1"), "thought " + std::to_string(i)).record.id;
  open();
  clock->advance(120'000);
  const Loaded loaded = load(connect("c2"));
  EXPECT_TRUE(loaded.auto_recovered);
  EXPECT_EQ(loaded.record.id, id);
  EXPECT_EQ(loaded.next_number, 48);
  EXPECT_EQ(loaded.current_number, 47);
  ASSERT_THAT(loaded.recent, SizeIs(5));
  EXPECT_EQ(loaded.recent.front().number, 43);
  EXPECT_EQ(loaded.recent.back().number, 47);
}

TEST_F(RecoverTest, L2_PinnedThenActiveThenNewest) {
  const std::string old_pinned = session("pinned"), closed = session("closed"), older = session("older"),
                    newer = session("newer");
  must(close_session(*store, closed, "completed", connect("x")));
  EXPECT_EQ(load(connect("c1")).record.id, newer);
  must(store->write([&](session::Transaction& transaction) -> Result<void> {
    HF_TRY(session::SessionRecord record, transaction.get(old_pinned));
    record.pinned = true;
    HF_CHECK(transaction.update(std::move(record)));
    return {};
  }));
  const Loaded loaded = load(connect("c2"));
  EXPECT_EQ(loaded.record.id, old_pinned);
  std::vector<std::string> others;
  for (const auto& record : loaded.alternatives) others.push_back(record.id);
  EXPECT_THAT(others, ElementsAre(newer, older, closed));
}

TEST_F(RecoverTest, L1_AnExplicitIdWinsWhateverItsRoot) {
  const std::string foreign = session("foreign", "file:///elsewhere");
  session("own");
  LoadRequest request;
  request.session_id = foreign;
  const Loaded loaded = load(connect("c1"), request);
  EXPECT_EQ(loaded.record.id, foreign);
  EXPECT_TRUE(loaded.root_mismatch);
  EXPECT_FALSE(loaded.auto_recovered);
}

TEST_F(RecoverTest, L1_AnUnknownIdIsAnsweredWithSuggestions) {
  const std::string id = session("here");
  LoadRequest request;
  request.session_id = "ffffffff-0000-7000-8000-000000000000";
  auto loaded = try_load(connect("c1"), request);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().word(), "not_found");
  EXPECT_THAT(loaded.error().hint, HasSubstr(id));
}

TEST_F(RecoverTest, L3_NothingThereSaysWhatToDo) {
  auto empty = try_load(connect("c1"));
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().word(), "no_sessions");
  EXPECT_THAT(empty.error().hint, HasSubstr("start_new"));
  auto rootless = try_load(connect("c2", {}));
  ASSERT_FALSE(rootless);
  EXPECT_EQ(rootless.error().word(), "no_root");
  for (const char* way : {"sessionId", "root", "bind_root"}) EXPECT_THAT(rootless.error().hint, HasSubstr(way));
}

TEST_F(RecoverTest, L3_ArchivedAndForeignSessionsAreNoCandidates) {
  const std::string id = session("own");
  session("foreign", "file:///elsewhere");
  must(store->write([&](session::Transaction& transaction) -> Result<void> {
    HF_TRY(session::SessionRecord record, transaction.get(id));
    record.visibility = session::Visibility::archived;
    HF_CHECK(transaction.update(std::move(record)));
    return {};
  }));
  EXPECT_EQ(word(connect("c1")), "no_sessions");
}

TEST_F(RecoverTest, L4_L5_BranchesSurviveARestart) {
  const Situation caller = connect("c1");
  for (int i = 1; i <= 4; ++i) append(caller, "t" + std::to_string(i));
  for (const char* branch : {"b", "a"})
    for (int i = 0; i < 3; ++i) {
      ThoughtRequest request = thought(std::string(branch) + std::to_string(i));
      request.branch = branch;
      request.branch_from = 4;
      append(caller, request);
    }
  open();
  const Loaded loaded = load(connect("c2"));
  ASSERT_THAT(loaded.branches, SizeIs(2));
  EXPECT_EQ(loaded.branches[0].id, "b");
  EXPECT_EQ(loaded.branches[0].forks, 4);
  EXPECT_EQ(loaded.branches[0].length, 3);
  EXPECT_EQ(loaded.branches[0].last, 7);
  EXPECT_EQ(loaded.next_number, 5);
  ASSERT_THAT(loaded.recent, SizeIs(5));
  EXPECT_EQ(loaded.recent.back().branch, "a");
  EXPECT_EQ(append(connect("c2"), "back on the main chain").thought.number, 5);
}

TEST_F(RecoverTest, U4_LoadingChangesNeitherStatusNorRecency) {
  const std::string first = session("first"), second = session("second");
  must(close_session(*store, first, "completed", connect("x")));
  const session::SessionRecord before = must(store->get(first));
  clock->advance(5000);
  LoadRequest request;
  request.session_id = first;
  load(connect("c1"), request);
  const session::SessionRecord after = must(store->get(first));
  EXPECT_EQ(after.status, "completed");
  EXPECT_EQ(after.updated_at, before.updated_at);
  EXPECT_EQ(after.rev, before.rev);
  EXPECT_EQ(load(connect("c2")).record.id, second);
}

TEST_F(RecoverTest, L4_LoadingSwitchesOnlyTheCallingConnection) {
  const std::string first = session("first"), second = session("second");
  LoadRequest request;
  request.session_id = first;
  load(connect("c1"), request);
  EXPECT_EQ(append(connect("c1"), "more").record.id, first);
  request.session_id = second;
  load(connect("c2"), request);
  EXPECT_EQ(append(connect("c1"), "still").record.id, first);
}

TEST_F(RecoverTest, P11LoadingASessionThatAnotherHasOpenSaysSo) {
  const std::string id = append(connect("w1"), "of the first window").record.id;
  attached.insert("w1");
  EXPECT_TRUE(must(load_session(*store, {}, connect("w2"))).in_use);
  EXPECT_FALSE(must(load_session(*store, {}, connect("w1"))).in_use) << "its own";
  attached.clear();
  clock->advance(1000);
  LoadRequest by_id;
  by_id.session_id = id;
  EXPECT_FALSE(must(load_session(*store, by_id, connect("w3"))).in_use);
}

TEST_F(RecoverTest, R6_SeveralRootsAreAllConsidered) {
  const std::string id = session("other", "file:///b");
  EXPECT_EQ(load(connect("c1", {"file:///a", "file:///b"})).record.id, id);
}

TEST_F(RecoverTest, R6_StartingAmongSeveralRootsMustBeSaid) {
  auto started = start_session(*store, {}, connect("c1", {"file:///a", "file:///b"}));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().word(), "ambiguous_root");
  EXPECT_THAT(started.error().hint, HasSubstr("file:///b"));
}

TEST_F(RecoverTest, StartNewIsDurableAndNamesThePreviousOne) {
  const Situation caller = connect("c1");
  const std::string first = append(caller, "one").record.id;
  NewSession wanted;
  wanted.title = "Second";
  wanted.project = "label";
  const Started started = must(start_session(*store, wanted, now(caller)));
  EXPECT_EQ(started.previous_session, first);
  EXPECT_THAT(started.notices, ElementsAre(HasSubstr("kept as a label")));
  open();
  EXPECT_EQ(must(store->get(started.record.id)).title, "Second");
  EXPECT_EQ(append(caller, "goes there").record.id, started.record.id);
}

TEST_F(RecoverTest, StartNewCountsRelatedSessions) {
  NewSession wanted;
  wanted.task = "retries";
  must(start_session(*store, wanted, connect("c1")));
  wanted.task = "other";
  must(start_session(*store, wanted, connect("c2")));
  wanted.task = "retries";
  const Started third = must(start_session(*store, wanted, connect("c3")));
  EXPECT_EQ(third.related.project_count, 2);
  EXPECT_EQ(third.related.task_count, 1);
  EXPECT_THAT(third.related.sessions, SizeIs(1));
}

TEST_F(RecoverTest, RecentIsWithinItsLimits) {
  session("one");
  LoadRequest request;
  request.recent = 51;
  EXPECT_EQ(word(connect("c1"), request), "invalid_argument");
  request.recent = 0;
  EXPECT_THAT(load(connect("c1"), request).recent, IsEmpty());
}

}  // namespace
}  // namespace holdfast::reasoning
