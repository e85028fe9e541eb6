#include "session/kinds.h"
#include "session/limits.h"
#include "store/contract/fixture.h"

namespace holdfast::store {
namespace {

using namespace session;
using testing::ElementsAre;

TEST_P(StoreContract, KeepsEveryFieldOfARecordAcrossReopening) {
  SessionRecord r = record("research-AbCdEf123456", kResearch);
  r.title = "Grüße, 世界 \"quoted\"";
  r.description = "long\nlines";
  r.opening = "what did we decide";
  r.root_uri = "file:///home/u/my%20app";
  r.root_name = "my app";
  r.linked_roots = {"file:///z", "file:///a", "file:///z"};
  r.project = "p";
  r.task = "t";
  r.aspect = "a";
  r.domain = "d";
  r.tags = {"b", "a", "b"};
  r.status = "in_progress";
  r.visibility = Visibility::archived;
  r.prior_status = "started";
  r.prior_visibility = Visibility::live;
  r.pinned = true;
  r.principal = "https://issuer|subject";
  r.client = "client/1.2";
  r.archived_at = 5;
  r.deleted_at = 6;
  r.completed_at = 7;
  r.retention_anchor_at = 8;
  r.data = {{"n", 1}, {"f", 0.1}, {"deep", {{"list", {1, "two", nullptr}}}}};
  create(r);
  reopen();

  const SessionRecord got = must(store_->get(r.id));
  EXPECT_EQ(got.kind, r.kind);
  EXPECT_EQ(got.title, r.title);
  EXPECT_EQ(got.description, r.description);
  EXPECT_EQ(got.opening, r.opening);
  EXPECT_EQ(got.root_uri, r.root_uri);
  EXPECT_EQ(got.root_name, r.root_name);
  EXPECT_THAT(got.linked_roots, ElementsAre("file:///a", "file:///z"));
  EXPECT_EQ(got.project + got.task + got.aspect + got.domain, "ptad");
  EXPECT_THAT(got.tags, ElementsAre("a", "b"));
  EXPECT_EQ(got.status, r.status);
  EXPECT_EQ(got.visibility, Visibility::archived);
  EXPECT_EQ(got.prior_status, "started");
  EXPECT_EQ(got.prior_visibility, Visibility::live);
  EXPECT_TRUE(got.pinned);
  EXPECT_EQ(got.principal, r.principal);
  EXPECT_EQ(got.client, r.client);
  EXPECT_EQ(got.rev, 1);
  EXPECT_EQ(got.created_at, kStart);
  EXPECT_EQ(got.updated_at, kStart);
  EXPECT_EQ(got.last_activity_at, kStart);
  EXPECT_EQ(got.archived_at, 5);
  EXPECT_EQ(got.deleted_at, 6);
  EXPECT_EQ(got.completed_at, 7);
  EXPECT_EQ(got.retention_anchor_at, 8);
  EXPECT_EQ(to_json(got.data), to_json(r.data));
  EXPECT_FALSE(got.damage);
  EXPECT_EQ(got.entry_count(), 0);
}

TEST_P(StoreContract, AnUnknownIdIsNotFound) {
  EXPECT_EQ(kind_of_failure(store_->get("nobody")), ErrorKind::not_found);
  EXPECT_EQ(kind_of_failure(try_append("nobody", note("x"))), ErrorKind::not_found);
  EXPECT_EQ(kind_of_failure(store_->verify("nobody")), ErrorKind::not_found);
  EntryQuery query;
  query.session = "nobody";
  EXPECT_EQ(kind_of_failure(store_->entries(query)), ErrorKind::not_found);
}

TEST_P(StoreContract, AnIdIsTakenOnce) {
  create("a");
  EXPECT_EQ(kind_of_failure(store_->write([](Transaction& t) { return t.create(record("a")); })), ErrorKind::conflict);
  EXPECT_EQ(must(store_->get("a")).rev, 1);
}

TEST_P(StoreContract, AnUpdateMovesRevAndUpdatedAtAndNothingElse) {
  SessionRecord r = create("a");
  clock_->advance(1000);
  r.title = "New title";
  r.tags = {"x"};
  r.rev = 1;
  r.created_at = 1;
  r.last_activity_at = 2;
  r.kind = "other";
  const SessionRecord got = update(r);
  EXPECT_EQ(got.title, "New title");
  EXPECT_EQ(got.rev, 2);
  EXPECT_EQ(got.updated_at, kStart + 1000);
  EXPECT_EQ(got.created_at, kStart);
  EXPECT_EQ(got.last_activity_at, kStart);
  EXPECT_EQ(got.kind, "reasoning");
  EXPECT_EQ(to_json(must(store_->get("a")).data), to_json(got.data));
}

TEST_P(StoreContract, ActivityIsMovedByActivityAlone) {
  SessionRecord r = create("a");
  clock_->advance(10);
  r = update(r, Touch::activity);
  EXPECT_EQ(r.last_activity_at, kStart + 10);
  clock_->advance(10);
  r = update(r, Touch::nothing);
  EXPECT_EQ(r.rev, 2);
  EXPECT_EQ(r.updated_at, kStart + 10);
  clock_->advance(10);
  must(store_->write([](Transaction& t) { return t.note_access("a"); }));
  r = must(store_->get("a"));
  EXPECT_EQ(r.rev, 2);
  EXPECT_EQ(r.updated_at, kStart + 10);
  EXPECT_EQ(r.last_accessed_at, kStart + 30);
}

TEST_P(StoreContract, AStaleRevIsAConflictAndChangesNothing) {
  const SessionRecord old = create("a");
  SessionRecord other = old;
  other.title = "theirs";
  update(other);
  SessionRecord mine = old;
  mine.title = "mine";
  EXPECT_EQ(kind_of_failure(store_->write([&](Transaction& t) { return t.update(mine); })), ErrorKind::conflict);
  EXPECT_EQ(must(store_->get("a")).title, "theirs");
}

TEST_P(StoreContract, RevGrowsOncePerTransaction) {
  create("a");
  must(store_->write([](Transaction& t) -> Result<void> {
    HF_TRY(auto r, t.get("a"));
    HF_CHECK(t.append("a", note("one")));
    HF_CHECK(t.append("a", note("two")));
    r.title = "changed";  // read before the appends: still this transaction's own view
    HF_CHECK(t.update(r));
    return {};
  }));
  const SessionRecord got = must(store_->get("a"));
  EXPECT_EQ(got.rev, 2);
  EXPECT_EQ(got.title, "changed");
  EXPECT_EQ(got.entry_count(), 2);
}

TEST_P(StoreContract, RefusesWhatIsTooLargeOrMalformed) {
  SessionRecord r = record("a");
  r.title = std::string(kMaxTitleBytes + 1, 'x');
  EXPECT_EQ(kind_of_failure(store_->write([&](Transaction& t) { return t.create(r); })), ErrorKind::too_large);
  r = record("a");
  r.title = "\xff";
  EXPECT_EQ(kind_of_failure(store_->write([&](Transaction& t) { return t.create(r); })), ErrorKind::invalid);
  r = record("");
  EXPECT_EQ(kind_of_failure(store_->write([&](Transaction& t) { return t.create(r); })), ErrorKind::invalid);
  EXPECT_EQ(must(store_->list({})).total, 0);
}

TEST_P(StoreContract, ImportedTimesAreKept) {
  SessionRecord r = record("a");
  r.created_at = 1000;
  r.updated_at = 2000;
  create(r);
  const SessionRecord got = must(store_->get("a"));
  EXPECT_EQ(got.created_at, 1000);
  EXPECT_EQ(got.updated_at, 2000);
  EXPECT_EQ(got.last_activity_at, 2000);
}

TEST_P(StoreContract, FindsIdsByPrefix) {
  for (const char* id : {"ab1", "ab2", "ac1", "b%1", "b_1"}) create(id);
  EXPECT_THAT(must(store_->ids_with_prefix({"ab", {}, {}, 10})), ElementsAre("ab1", "ab2"));
  EXPECT_THAT(must(store_->ids_with_prefix({"ab", {}, {}, 1})), ElementsAre("ab1"));
  EXPECT_THAT(must(store_->ids_with_prefix({"b%", {}, {}, 10})), ElementsAre("b%1"));
  EXPECT_THAT(must(store_->ids_with_prefix({"x", {}, {}, 10})), ElementsAre());
  EXPECT_THAT(must(store_->ids_with_prefix({"", {}, {}, 10})), ElementsAre("ab1", "ab2", "ac1", "b%1", "b_1"));
}

// However many sessions of others come first in the order of the ids, who asks is answered among their own, in their projects.
TEST_P(StoreContract, P3PrefixIsResolvedAmongWhatItsAskerMaySee) {
  const auto make = [&](const std::string& id, const std::string& principal, const std::string& root,
                        std::vector<std::string> linked = {}) {
    SessionRecord r = record(id);
    r.principal = principal;
    r.root_uri = root;
    r.linked_roots = std::move(linked);
    create(r);
  };
  for (int i = 100; i < 220; ++i) make("same-a" + std::to_string(i), "bob", "file:///a");
  make("same-b1", "ann", "file:///b");
  make("same-b2", "ann", "file:///a");
  make("same-b3", "ann", "file:///c", {"file:///a"});
  make("same-b4", "ann", "");
  make("samf", "ann", "file:///a");
  const auto ids = [&](const session::IdQuery& query) {
    auto outside = must(store_->ids_with_prefix(query));
    auto inside = must(store_->write([&](Transaction& t) { return t.ids_with_prefix(query); }));
    EXPECT_EQ(outside, inside) << "a transaction sees the same";
    return outside;
  };
  EXPECT_THAT(ids({"same", "ann", {}, 100}), ElementsAre("same-b1", "same-b2", "same-b3", "same-b4"));
  EXPECT_THAT(ids({"same", "ann", {"file:///a"}, 100}), ElementsAre("same-b2", "same-b3"));
  EXPECT_THAT(ids({"same", "ann", {"file:///a", "file:///b"}, 100}), ElementsAre("same-b1", "same-b2", "same-b3"));
  EXPECT_THAT(ids({"same", "ann", {"file:///a"}, 1}), ElementsAre("same-b2"));
  EXPECT_THAT(ids({"same", "nobody", {}, 100}), ElementsAre());
  EXPECT_EQ(ids({"same", {}, {}, 200}).size(), 124U);
}

TEST_P(StoreContract, APurgedSessionLeavesATombstone) {
  create("a");
  create("b");
  append("a", "secret text");
  SessionRecord r = must(store_->get("a"));
  r.visibility = Visibility::deleted;
  r.deleted_at = kStart;
  update(r);
  clock_->advance(50);
  must(store_->write([](Transaction& t) { return t.purge("a", "retention"); }));
  reopen();

  auto got = store_->get("a");
  EXPECT_EQ(kind_of_failure(got), ErrorKind::not_found);
  EXPECT_EQ(got.error().word(), "gone");
  const Tombstone stone = must(store_->tombstone("a")).value();
  EXPECT_EQ(stone.kind, "reasoning");
  EXPECT_EQ(stone.reason, "retention");
  EXPECT_EQ(stone.deleted_at, kStart);
  EXPECT_EQ(stone.purged_at, kStart + 50);
  EXPECT_FALSE(must(store_->tombstone("b")));
  EXPECT_EQ(kind_of_failure(store_->write([](Transaction& t) { return t.create(record("a")); })), ErrorKind::conflict);
  EXPECT_EQ(must(store_->list({})).total, 1);
  EXPECT_TRUE(must(store_->integrity()).ok);
}

TEST_P(StoreContract, SecretStaysTheSame) {
  const std::string secret = store_->secret();
  EXPECT_EQ(secret.size(), 32u);
  EXPECT_EQ(open()->secret(), secret);
  reopen();
  EXPECT_EQ(store_->secret(), secret);
  const auto elsewhere = GetParam().make();
  EXPECT_NE(must(elsewhere->open({}))->secret(), secret);
}

TEST_P(StoreContract, InfoCounts) {
  create("a");
  append("a", "x");
  append("a", "y");
  const StoreInfo info = must(store_->info());
  EXPECT_EQ(info.sessions, 1);
  EXPECT_EQ(info.entries, 2);
  EXPECT_FALSE(info.read_only);
  EXPECT_GT(info.bytes, 0);
}

}  // namespace
}  // namespace holdfast::store
