#include "session/fenced_store.h"

#include "session/notices.h"
#include "session/test_life.h"

#include <thread>

namespace holdfast::session {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct FencedStoreTest : LifeTest {
  FencedStoreTest() {
    make("inside-1", "file:///a");
    make("linked-1", "file:///b", {"file:///a"});
    make("outside1", "file:///b");
    make("rootless", "");
    for (const char* id : {"inside-1", "outside1"}) say(id, "the quick fox");
  }

  void make(const std::string& id, const std::string& root, std::vector<std::string> linked = {}) {
    SessionRecord record;
    record.id = id;
    record.kind = kThread;
    record.status = "active";
    record.title = "title of " + id;
    record.root_uri = root;
    record.linked_roots = std::move(linked);
    must(store->write([&](Transaction& transaction) { return transaction.create(record); }));
  }

  template <class T>
  static std::string said(const Result<T>& result) {
    if (result) return "no error";
    return result.error().message + "/" + result.error().hint + "/" + result.error().code;
  }
  // What is hidden is answered in the very words of what never was.
  static std::string renamed(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
    return text;
  }

  std::vector<std::string> ids(const Query& query = {}) {
    std::vector<std::string> found;
    for (const SessionRecord& record : must(fenced.list(query)).items) found.push_back(record.id);
    std::ranges::sort(found);
    return found;
  }

  FencedStore fenced{*store};
  const Fence fence{"file:///a"};
};

TEST_F(FencedStoreTest, WithoutAFenceEverythingIsThere) {
  EXPECT_THAT(ids(), SizeIs(4));
  EXPECT_TRUE(fenced.get("outside1"));
  const Fence none;
  const FenceScope outer(fence);
  EXPECT_THAT(ids(), SizeIs(2));
  const FenceScope inner(none);
  EXPECT_THAT(ids(), SizeIs(4)) << "the innermost holds";
}

TEST_F(FencedStoreTest, ListsAndSearchesKnowTheProjectsAlone) {
  const FenceScope scope(fence);
  EXPECT_THAT(ids(), ElementsAre("inside-1", "linked-1"));
  EXPECT_EQ(must(fenced.list({})).total, 2);
  Query other;
  other.roots = {"file:///b"};
  other.rootless = true;
  EXPECT_THAT(ids(other), IsEmpty());
  EXPECT_EQ(must(fenced.list(other)).total, 0);
  other.roots.push_back("file:///a");
  EXPECT_THAT(ids(other), ElementsAre("inside-1", "linked-1"));
  Query rootless;
  rootless.rootless = true;
  EXPECT_THAT(ids(rootless), IsEmpty());
  SearchQuery search;
  search.text = "fox";
  const SearchResult found = must(fenced.search(search));
  ASSERT_THAT(found.hits, SizeIs(1));
  EXPECT_EQ(found.hits.front().session, "inside-1");
  EXPECT_THAT(must(fenced.ids_with_prefix({"outside", {}, {}, 10})), IsEmpty());
  EXPECT_THAT(must(fenced.ids_with_prefix({"inside", {}, {}, 10})), ElementsAre("inside-1"));
}

TEST_F(FencedStoreTest, WhatIsOutsideWasNever) {
  must(store->write([&](Transaction& transaction) { return transaction.purge("rootless", "test"); }));
  const FenceScope scope(fence);
  for (const std::string hidden : {"outside1", "rootless"}) {
    const auto same = [&](const auto& ask) {
      EXPECT_EQ(said(ask(hidden)), renamed(said(ask("never-was")), "never-was", hidden));
    };
    same([&](const std::string& id) { return fenced.get(id); });
    same([&](const std::string& id) {
      EntryQuery query;
      query.session = id;
      return fenced.entries(query);
    });
    same([&](const std::string& id) { return fenced.entry(id, 1); });
    same([&](const std::string& id) { return fenced.entry_at(id, "", 1); });
    same([&](const std::string& id) { return fenced.entry_with_key(id, "k"); });
    same([&](const std::string& id) { return fenced.verify(id); });
    same([&](const std::string& id) { return fenced.write([&](Transaction& t) { return t.append(id, NewEntry{}); }); });
    same([&](const std::string& id) { return fenced.write([&](Transaction& t) { return t.note_access(id); }); });
    same([&](const std::string& id) { return fenced.write([&](Transaction& t) { return t.redact(id, 1); }); });
    same([&](const std::string& id) { return fenced.write([&](Transaction& t) { return t.purge(id, "x"); }); });
    same([&](const std::string& id) {
      SessionRecord record;
      record.id = id;
      return fenced.write([&](Transaction& t) { return t.update(record); });
    });
    EXPECT_FALSE(must(fenced.tombstone(hidden)));
  }
}

TEST_F(FencedStoreTest, NothingIsMadeOrMovedOutside) {
  const FenceScope scope(fence);
  const auto create = [&](const std::string& root) {
    SessionRecord record;
    record.id = "new-" + std::to_string(root.size());
    record.kind = kThread;
    record.status = "active";
    record.root_uri = root;
    return fenced.write([&](Transaction& transaction) { return transaction.create(record); });
  };
  for (const char* root : {"", "file:///b", "file:///a/inner"}) {
    EXPECT_EQ(create(root).error().kind, ErrorKind::refused) << root;
    EXPECT_EQ(create(root).error().code, "project_denied") << root;
    EXPECT_THAT(create(root).error().hint, testing::HasSubstr("file:///a"));
  }
  EXPECT_TRUE(create("file:///a"));

  const auto change = [&](const std::function<void(SessionRecord&)>& edit) {
    return fenced.write([&](Transaction& transaction) -> Result<SessionRecord> {
      HF_TRY(SessionRecord record, transaction.get("inside-1"));
      edit(record);
      return transaction.update(record);
    });
  };
  EXPECT_EQ(change([](SessionRecord& record) { record.root_uri = "file:///b"; }).error().code, "project_denied");
  EXPECT_EQ(change([](SessionRecord& record) { record.root_uri.clear(); }).error().code, "project_denied");
  EXPECT_EQ(change([](SessionRecord& record) { record.linked_roots = {"file:///b"}; }).error().code, "project_denied");
  EXPECT_TRUE(change([](SessionRecord& record) { record.title = "another"; }));
}

TEST_F(FencedStoreTest, TheFamilyEndsAtTheFence) {
  const auto link = [&](const char* child, const char* parent) {
    LineageEvent event;
    event.child = child;
    event.parent = parent;
    event.how = "fork";
    must(store->write([&](Transaction& transaction) { return transaction.add_lineage(event); }));
  };
  link("inside-1", "elsewhere");  // another machine's
  link("outside1", "inside-1");
  link("linked-1", "outside1");
  const FenceScope scope(fence);
  EXPECT_THAT(must(fenced.lineage_of("inside-1")), SizeIs(1));
  EXPECT_THAT(must(fenced.lineage_tree("inside-1")), SizeIs(1));
  EXPECT_THAT(must(fenced.lineage_of("outside1")), IsEmpty());
  EXPECT_THAT(must(fenced.lineage_tree("outside1")), IsEmpty());
  EXPECT_THAT(must(fenced.lineage_tree("linked-1")), IsEmpty());
  LineageEvent event;
  event.child = "inside-1";
  event.parent = "outside1";
  event.how = "fork";
  EXPECT_EQ(fenced.write([&](Transaction& t) { return t.add_lineage(event); }).error().kind, ErrorKind::not_found);
}

TEST_F(FencedStoreTest, EventsAndWholeStoresAreBehindTheFenceToo) {
  const FenceScope scope(fence);
  for (const Event& event : must(fenced.events_after(0, 1000)))
    EXPECT_TRUE(event.session == "inside-1" || event.session == "linked-1");
  EXPECT_EQ(fenced.integrity().error().code, "project_denied");
  const auto subscribe = [&](const char* id) {
    SubscribeOptions options;
    options.session = id;
    options.on_ready = [] {};
    return fenced.subscribe(std::move(options)).has_value();
  };
  EXPECT_FALSE(subscribe("outside1"));
  EXPECT_FALSE(subscribe(""));
  EXPECT_TRUE(subscribe("inside-1"));
}

TEST_F(FencedStoreTest, TheFenceIsTheThreadsOwn) {
  const FenceScope scope(fence);
  std::size_t seen = 0;
  std::thread([&] { seen = must(fenced.list({})).items.size(); }).join();
  EXPECT_EQ(seen, 4U);
}

TEST_F(FencedStoreTest, ATransactionKeepsTheFenceItBeganWith) {
  const FenceScope scope(fence);
  const auto found = fenced.write([&](Transaction& transaction) -> Result<bool> {
    bool hidden = false;
    std::thread([&] { hidden = !transaction.get("outside1"); }).join();
    return hidden;
  });
  EXPECT_TRUE(must(found));
}

}  // namespace
}  // namespace holdfast::session
