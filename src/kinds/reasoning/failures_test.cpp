// The failures that were reproduced against the original (reasoning-sessions §10), one test each, by their number: every one of
// them fails on the original's behaviour. 6, 7 (the header) and 15 need the program: tests/e2e/app/thoughts_cli.py.

#include "kinds/reasoning/begin.h"
#include "kinds/reasoning/read/export.h"
#include "kinds/reasoning/read/read.h"
#include "kinds/reasoning/read/recover.h"
#include "kinds/reasoning/test_ledger.h"

#include <sys/resource.h>

#include <csignal>
#include <filesystem>

namespace holdfast::reasoning {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;
using testing::StartsWith;

struct FailuresTest : LedgerTest {
  ThoughtRequest on_branch(std::string text, std::string branch, std::optional<std::int64_t> from = {}) {
    ThoughtRequest request = thought(std::move(text));
    request.branch = std::move(branch);
    request.branch_from = from;
    return request;
  }
  std::vector<std::string> texts(const std::string& session) {
    std::vector<std::string> out;
    for (const Thought& each : all(session)) out.push_back(each.text);
    return out;
  }
  std::vector<std::string> files() {
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder.path())) names.push_back(file.path().filename());
    return names;
  }
};

TEST_F(FailuresTest, Failure_1_AReconnectNeitherOrphansTheChainNorShadowsIt) {
  const std::string id = append(connect("c1"), "one").record.id;
  append(connect("c1"), "two");
  EXPECT_EQ(append(connect("c2"), "three").thought.number, 3);
  EXPECT_EQ(must(load_session(*store, {}, connect("c3"))).record.id, id);
  EXPECT_THAT(sessions(), SizeIs(1));
}

TEST_F(FailuresTest, Failure_2_ResumingKeepsTheBranchesAndTheNextWriteTheirCount) {
  const Situation caller = connect("c1");
  append(caller, "one");
  append(caller, on_branch("side", "a", 1));
  open();
  EXPECT_THAT(must(load_session(*store, {}, connect("c2"))).branches, SizeIs(1));
  const session::SessionRecord record = append(connect("c2"), "two").record;
  EXPECT_THAT(branches_of(record), ElementsAre("a"));
  EXPECT_EQ(total_count(record), 3);
}

TEST_F(FailuresTest, Failure_3_NothingIsWrittenOver) {
  const Situation caller = connect("c1");
  ThoughtRequest first = thought("first");
  first.number = 1;
  const std::string id = append(caller, first).record.id;
  first.text = "second";
  EXPECT_EQ(append(caller, first).thought.number, 2);
  append(caller, on_branch("side one", "a", 1));
  append(caller, on_branch("side two", "a"));
  EXPECT_THAT(texts(id), ElementsAre("first", "second", "side one", "side two"));
}

TEST_F(FailuresTest, Failure_4_TwoConnectionsNeverShareANumberAndSeeEachOther) {
  const Situation early = connect("early"), late = connect("late");
  ThoughtRequest request = thought("a");
  const std::string id = append(early, request).record.id;
  request = thought("b");
  request.session_id = id;
  EXPECT_EQ(append(late, request).thought.number, 2);
  EXPECT_EQ(append(early, "c").thought.number, 3);
  const std::string newer = must(start_session(*store, {}, now(late))).record.id;
  EXPECT_EQ(must(find_reasoning(*store, early, newer)).id, newer);
}

// 5: an error of the disk was swallowed and success reported; 13: what failed stayed visible in memory.
TEST_F(FailuresTest, Failure_5_13_D5_AFailedWriteIsReportedAndLeavesNothing) {
  const Situation caller = connect("c1");
  const std::string id = append(caller, "one").record.id;
  struct DiskFull {  // no file may grow any more, for as long as this lives
    DiskFull() {
      handler = std::signal(SIGXFSZ, SIG_IGN);
      getrlimit(RLIMIT_FSIZE, &before);
      rlimit none = before;
      none.rlim_cur = 0;
      setrlimit(RLIMIT_FSIZE, &none);
    }
    ~DiskFull() {
      setrlimit(RLIMIT_FSIZE, &before);
      std::signal(SIGXFSZ, handler);
    }
    rlimit before{};
    void (*handler)(int) = nullptr;
  };
  std::string word;
  {
    const DiskFull full;
    const auto refused = try_append(caller, thought("lost"));
    word = refused ? "accepted" : std::string(refused.error().word());
  }
  EXPECT_EQ(word, "storage_failed");
  EXPECT_THAT(texts(id), ElementsAre("one"));
  EXPECT_EQ(append(caller, "two").thought.number, 2);
  open();
  EXPECT_THAT(texts(id), ElementsAre("one", "two"));
}

TEST_F(FailuresTest, Failure_7_D7_NoTextOfACallerIsAPath) {
  const Situation caller = connect("../../c1");
  append(caller, "one");
  append(caller, on_branch("side", "../../../x", 1));
  NewSession wanted;
  wanted.project = wanted.title = "../../../y";
  wanted.tags = {"../../z"};
  must(start_session(*store, wanted, now(caller)));
  ThoughtRequest request = thought("x");
  request.session_id = "../../store.db";
  EXPECT_EQ(refusal(caller, request), "invalid");
  EXPECT_THAT(files(), Each(StartsWith("store")));
}

TEST_F(FailuresTest, Failure_8_AThoughtCannotReviseItself) {
  const Situation caller = connect("c1");
  const session::SessionRecord record = append(caller, "one").record;
  ThoughtRequest self = thought("of itself");
  self.number = self.revises = 2;
  EXPECT_EQ(refusal(caller, self), "revision_target_missing");
  EXPECT_TRUE(export_session(*store, record, {"json", true, true}, clock->now()));
}

TEST_F(FailuresTest, Failure_9_AfterClosingANewTitleIsANewSession) {
  const Situation caller = connect("c1");
  ThoughtRequest last = thought("done");
  last.next_needed = false;
  const std::string closed = append(caller, last).record.id;
  ThoughtRequest next = thought("other work");
  next.session_title = "Other";
  EXPECT_NE(append(caller, next).record.id, closed);
  EXPECT_EQ(must(store->get(closed)).status, "completed");
}

TEST_F(FailuresTest, Failure_10_NothingPointsAtWhatIsNotThere) {
  const Situation caller = connect("c1");
  append(caller, "one");
  append(caller, "two");
  EXPECT_EQ(refusal(caller, on_branch("x", "a", 99)), "branch_origin_missing");
  ThoughtRequest revision = thought("x");
  revision.revises = 99;
  EXPECT_EQ(refusal(caller, revision), "revision_target_missing");
  revision.revises.reset();
  revision.is_revision = true;
  EXPECT_EQ(refusal(caller, revision), "revision_target_required");
}

TEST_F(FailuresTest, Failure_11_ReadingAnOldSessionDoesNotMakeItTheLatest) {
  const session::SessionRecord old = append(connect("c1"), "old").record;
  clock->advance(1000);
  ThoughtRequest request = thought("new");
  request.new_session = true;
  const std::string newer = append(connect("c2"), request).record.id;
  clock->advance(1000);
  must(read_thoughts(*store, old, {}));
  EXPECT_EQ(must(load_session(*store, {}, connect("c3"))).record.id, newer);
}

TEST_F(FailuresTest, Failure_12_EveryThoughtOfABranchIsLinkedToItsPredecessorAfterARestart) {
  const Situation caller = connect("c1");
  const std::string id = append(caller, "one").record.id;
  append(caller, on_branch("a2", "a", 1));
  append(caller, on_branch("a3", "a"));
  open();
  const std::string text = must(export_session(*store, must(store->get(id)), {"json", true, true}, clock->now()));
  const JsonObject exported = must(parse_json(text)).as_object();
  const JsonArray& nodes = *find_array(exported, "nodes");
  const std::string second = id + ":a:2", third = id + ":a:3";
  EXPECT_EQ(find_string(nodes[2].as_object(), "prev"), second);
  EXPECT_EQ(*find_array(nodes[1].as_object(), "next"), JsonArray{third});
  EXPECT_EQ(*find_array(nodes[0].as_object(), "next"), JsonArray{second});
}

TEST_F(FailuresTest, Failure_14_ARootIsNoStoreOfItsOwn) {
  const std::string here = append(connect("c1"), "here").record.id;
  const std::string there = append(connect("c2", {"file:///elsewhere"}), "there").record.id;
  EXPECT_EQ(must(load_session(*store, {}, connect("c3", {"file:///elsewhere"}))).record.id, there);
  LoadRequest by_id;
  by_id.session_id = here;
  EXPECT_TRUE(must(load_session(*store, by_id, connect("c3", {"file:///elsewhere"}))).root_mismatch);
}

}  // namespace
}  // namespace holdfast::reasoning
