// The audit of a closed session (T8, S4), and what ids may hold.

#include "kinds/reasoning/manifest.h"

#include "kinds/reasoning/begin.h"
#include "kinds/reasoning/read/export.h"
#include "kinds/reasoning/read/read.h"
#include "kinds/reasoning/test_ledger.h"

namespace holdfast::reasoning {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct ManifestTest : LedgerTest {};

// However often it is closed, exported and analysed.
TEST_F(ManifestTest, P22TheManifestOfAClosedSessionIsStoredOnceAndShownAsStored) {
  const Situation caller = connect("c1");
  append(caller, "one");
  ThoughtRequest last = thought("done");
  last.next_needed = false;
  const AppendOutcome closed = append(caller, last);
  const std::string& id = closed.record.id;
  const auto manifests = [&] { return must(store->get(id)).count_of(kManifestEntry); };
  const auto shown = [&] {
    const session::SessionRecord record = must(store->get(id));
    return to_json(*find_object(must(analyse(*store, record, clock->now())), "audit"));
  };
  const std::string stored = to_json(*closed.manifest);
  EXPECT_EQ(manifests(), 1);
  const auto before = must(store->get(id));
  clock->advance(3'600'000);
  EXPECT_EQ(to_json(must(close_session(*store, id, "completed", now(caller))).manifest), stored);
  EXPECT_EQ(must(store->get(id)).rev, before.rev) << "it was closed already";
  EXPECT_EQ(to_json(must(close_session(*store, id, "abandoned", now(caller))).manifest), stored);
  EXPECT_EQ(manifests(), 1);
  EXPECT_EQ(shown(), stored);
  const std::string exported = must(export_session(*store, must(store->get(id)), {"json"}, clock->now()));
  EXPECT_THAT(exported, HasSubstr("\"auditManifest\":" + stored));

  // S4: a thought reopens it, and what was stored no longer holds.
  ThoughtRequest more = thought("one thing more");
  more.session_id = id;
  append(caller, more);
  EXPECT_THAT(shown(), HasSubstr("\"total\":3"));
  must(close_session(*store, id, "completed", now(caller)));
  EXPECT_EQ(manifests(), 2);
  EXPECT_THAT(shown(), AllOf(HasSubstr("\"total\":3"), Not(stored)));
}

TEST_F(ManifestTest, P22IdsHaveNoControlCharacters) {
  const Situation caller = connect("c1");
  append(caller, "one");
  for (const std::string control : {"\x01", "\x1f", "\x7f", "\xC2\x80", "\xC2\x9B", "\xC2\x9F"}) {
    ThoughtRequest branch = thought("x");
    branch.branch_from = 1;
    branch.branch = "a" + control + "b";
    EXPECT_EQ(refusal(caller, branch), "invalid_argument");
    ThoughtRequest keyed = thought("x");
    keyed.idempotency_key = "key" + control;
    EXPECT_EQ(refusal(caller, keyed), "invalid_argument");
    ThoughtRequest signed_by = thought("x");
    signed_by.agent_id = control + "me";
    EXPECT_EQ(refusal(caller, signed_by), "invalid_argument");
  }
  ThoughtRequest fine = thought("x");
  fine.branch_from = 1;
  fine.branch = "\xC2\xA0 no-break, \xC3\x9F";
  EXPECT_EQ(must(try_append(caller, fine)).thought.number, 2);
}

}  // namespace
}  // namespace holdfast::reasoning
