#include "kinds/reasoning/stitch.h"

#include "kinds/reasoning/read/recover.h"
#include "kinds/reasoning/test_ledger.h"

namespace holdfast::reasoning {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

struct StitchTest : LedgerTest {
  std::string session(const std::string& connection, int thoughts) {
    ThoughtRequest first = thought(connection + " 1");
    first.new_session = true;
    const std::string id = append(connect(connection), first).record.id;
    for (int i = 2; i <= thoughts; ++i) append(connect(connection), connection + " " + std::to_string(i));
    return id;
  }
};

TEST_F(StitchTest, TheOrphanBecomesTheContinuation) {
  const std::string into = session("long", 3), from = session("stray", 2);
  ThoughtRequest revision = thought("stray 3");
  revision.session_id = from;
  revision.revises = 1;
  append(connect("stray"), revision);
  ThoughtRequest branch = thought("on the side");
  branch.branch = "b";
  branch.branch_from = 2;
  append(connect("stray"), branch);

  const Stitched stitched = must(stitch(*store, from, into, connect("x")));
  EXPECT_EQ(stitched.thoughts, 4);
  EXPECT_EQ(stitched.first_number, 4);
  const std::vector<Thought> thoughts = all(into);
  std::vector<std::string> texts;
  for (const Thought& each : thoughts)
    if (each.type != kStitchEntry) texts.push_back(each.text);
  EXPECT_THAT(texts, ElementsAre("long 1", "long 2", "long 3", "stray 1", "stray 2", "stray 3", "on the side"));
  EXPECT_EQ(thoughts[thoughts.size() - 2].revises, 4);
  EXPECT_EQ(thoughts.back().branch_from, 5);
  EXPECT_EQ(must(store->get(from)).visibility, session::Visibility::archived);
  EXPECT_THAT(must(store->lineage_of(from)), SizeIs(1));
  EXPECT_TRUE(must(store->verify(into)).ok);
}

TEST_F(StitchTest, WhoHasTheOrphanOpenGoesOnInTheSession) {
  const std::string into = session("long", 2), from = session("stray", 1);
  must(stitch(*store, from, into, now(connect("stray"))));
  const AppendOutcome next = append(connect("stray"), "and on");
  EXPECT_EQ(next.record.id, into);
  EXPECT_EQ(next.thought.number, 4);
}

TEST_F(StitchTest, TwiceIsAConflictAndItselfIsRefused) {
  const std::string into = session("long", 1), from = session("stray", 1);
  must(stitch(*store, from, into, connect("x")));
  EXPECT_EQ(stitch(*store, from, into, connect("x")).error().kind, ErrorKind::conflict);
  EXPECT_EQ(stitch(*store, into, into, connect("x")).error().kind, ErrorKind::invalid);
}

TEST_F(StitchTest, ATakenBranchNameGetsANumber) {
  const std::string into = session("long", 2), from = session("stray", 2);
  for (const char* connection : {"long", "stray"}) {
    ThoughtRequest branch = thought("b");
    branch.branch = "b";
    branch.branch_from = 1;
    append(connect(connection), branch);
  }
  EXPECT_THAT(must(stitch(*store, from, into, connect("x"))).renamed_branches, ElementsAre("b -> b-2"));
}

TEST_F(StitchTest, ALinkedSessionIsFoundFromEachRoot) {
  const std::string id = session("one", 1);
  must(link_root(*store, id, "file:///other", connect("x")));
  EXPECT_EQ(must(load_session(*store, {}, connect("c", {"file:///other"}))).record.id, id);
  must(unlink_root(*store, id, "file:///other", connect("x")));
  EXPECT_FALSE(load_session(*store, {}, connect("d", {"file:///other"})));
  EXPECT_FALSE(link_root(*store, id, kRoot, connect("x")));
}

}  // namespace
}  // namespace holdfast::reasoning
