#include "session/query/store_view.h"

#include "session/life/notices.h"
#include "session/life/test_life.h"

#include <thread>
#include <type_traits>

namespace holdfast::session {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct StoreViewTest : LifeTest {
  StoreViewTest() {
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
  template <class T>
  static ErrorKind kind_of(const Result<T>& result) {
    return result ? ErrorKind::internal : result.error().kind;
  }
  // What is hidden is answered in the very words of what never was.
  static std::string renamed(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
    return text;
  }

  std::vector<std::string> ids(const Query& query = {}) {
    std::vector<std::string> found;
    for (const SessionRecord& record : must(scoped.list(query)).items) found.push_back(record.id);
    std::ranges::sort(found);
    return found;
  }

  static Identity held_to(std::vector<std::string> projects, std::string principal = "local") {
    Identity identity = full_identity(std::move(principal));
    identity.projects = std::move(projects);
    return identity;
  }

  const SharedStore shared{*store};
  StoreView scoped{shared, held_to({"file:///a"})};
};

TEST_F(StoreViewTest, P3WhoIsHeldToNoProjectSeesAllOfTheirOwn) {
  StoreView own(shared, full_identity("local"));
  EXPECT_THAT(must(own.list({})).items, SizeIs(4));
  EXPECT_TRUE(own.get("outside1"));
  EXPECT_THAT(ids(), SizeIs(2));
}

TEST_F(StoreViewTest, ListsAndSearchesKnowTheProjectsAlone) {
  EXPECT_THAT(ids(), ElementsAre("inside-1", "linked-1"));
  EXPECT_EQ(must(scoped.list({})).total, 2);
  Query other;
  other.roots = {"file:///b"};
  other.rootless = true;
  EXPECT_THAT(ids(other), IsEmpty());
  EXPECT_EQ(must(scoped.list(other)).total, 0);
  other.roots.push_back("file:///a");
  EXPECT_THAT(ids(other), ElementsAre("inside-1", "linked-1"));
  Query rootless;
  rootless.rootless = true;
  EXPECT_THAT(ids(rootless), IsEmpty());
  SearchQuery search;
  search.text = "fox";
  const SearchResult found = must(scoped.search(search));
  ASSERT_THAT(found.hits, SizeIs(1));
  EXPECT_EQ(found.hits.front().session, "inside-1");
  EXPECT_THAT(must(scoped.ids_with_prefix({"outside", {}, {}, 10})), IsEmpty());
  EXPECT_THAT(must(scoped.ids_with_prefix({"inside", {}, {}, 10})), ElementsAre("inside-1"));
}

TEST_F(StoreViewTest, WhatIsOutsideWasNever) {
  must(store->write([&](Transaction& transaction) { return transaction.purge("rootless", "test"); }));
  for (const std::string hidden : {"outside1", "rootless"}) {
    const auto same = [&](const auto& ask) {
      EXPECT_EQ(said(ask(hidden)), renamed(said(ask("never-was")), "never-was", hidden));
    };
    same([&](const std::string& id) { return scoped.get(id); });
    same([&](const std::string& id) {
      EntryQuery query;
      query.session = id;
      return scoped.entries(query);
    });
    same([&](const std::string& id) { return scoped.entry(id, 1); });
    same([&](const std::string& id) { return scoped.entry_at(id, "", 1); });
    same([&](const std::string& id) { return scoped.entry_with_key(id, "k"); });
    same([&](const std::string& id) { return scoped.verify(id); });
    same([&](const std::string& id) { return scoped.write([&](Transaction& t) { return t.append(id, NewEntry{}); }); });
    same([&](const std::string& id) { return scoped.write([&](Transaction& t) { return t.note_access(id); }); });
    same([&](const std::string& id) { return scoped.write([&](Transaction& t) { return t.redact(id, 1); }); });
    same([&](const std::string& id) { return scoped.write([&](Transaction& t) { return t.purge(id, "x"); }); });
    same([&](const std::string& id) {
      SessionRecord record;
      record.id = id;
      return scoped.write([&](Transaction& t) { return t.update(record); });
    });
    EXPECT_FALSE(must(scoped.tombstone(hidden)));
  }
}

TEST_F(StoreViewTest, NothingIsMadeOrMovedOutside) {
  const auto create = [&](const std::string& root) {
    SessionRecord record;
    record.id = "new-" + std::to_string(root.size());
    record.kind = kThread;
    record.status = "active";
    record.root_uri = root;
    return scoped.write([&](Transaction& transaction) { return transaction.create(record); });
  };
  for (const char* root : {"", "file:///b", "file:///a/inner"}) {
    EXPECT_EQ(create(root).error().kind, ErrorKind::refused) << root;
    EXPECT_EQ(create(root).error().code, "project_denied") << root;
    EXPECT_THAT(create(root).error().hint, testing::HasSubstr("file:///a"));
  }
  EXPECT_TRUE(create("file:///a"));

  const auto change = [&](const std::function<void(SessionRecord&)>& edit) {
    return scoped.write([&](Transaction& transaction) -> Result<SessionRecord> {
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

TEST_F(StoreViewTest, TheFamilyEndsWithTheScope) {
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
  EXPECT_THAT(must(scoped.lineage_of("inside-1")), SizeIs(1));
  EXPECT_THAT(must(scoped.lineage_tree("inside-1")), SizeIs(1));
  EXPECT_THAT(must(scoped.lineage_of("outside1")), IsEmpty());
  EXPECT_THAT(must(scoped.lineage_tree("outside1")), IsEmpty());
  EXPECT_THAT(must(scoped.lineage_tree("linked-1")), IsEmpty());
  LineageEvent event;
  event.child = "inside-1";
  event.parent = "outside1";
  event.how = "fork";
  EXPECT_EQ(scoped.write([&](Transaction& t) { return t.add_lineage(event); }).error().kind, ErrorKind::not_found);
}

TEST_F(StoreViewTest, EventsAndWholeStoresAreOutOfScopeToo) {
  for (const Event& event : must(scoped.events_after(0, 1000)))
    EXPECT_TRUE(event.session == "inside-1" || event.session == "linked-1");
  EXPECT_EQ(scoped.integrity().error().code, "principal_denied");
  EXPECT_EQ(scoped.info().error().code, "principal_denied");
  const auto subscribe = [&](const char* id) {
    SubscribeOptions options;
    options.session = id;
    options.on_ready = [] {};
    return scoped.subscribe(std::move(options)).has_value();
  };
  EXPECT_FALSE(subscribe("outside1"));
  EXPECT_FALSE(subscribe(""));
  EXPECT_TRUE(subscribe("inside-1"));
}

// The same view on any thread, also inside of a transaction that another one carries out: there is nothing to forget.
TEST_F(StoreViewTest, P3AViewIsTheSameOnEveryThread) {
  std::size_t seen = 0;
  std::thread([&] { seen = must(scoped.list({})).items.size(); }).join();
  EXPECT_EQ(seen, 2U);
  const auto found = scoped.write([&](Transaction& transaction) -> Result<bool> {
    bool hidden = false;
    std::thread([&] { hidden = !transaction.get("outside1"); }).join();
    return hidden;
  });
  EXPECT_TRUE(must(found));
}

// What does not compile cannot be forgotten.
TEST_F(StoreViewTest, P3WithoutAnIdentityThereIsNoStore) {
  static_assert(!std::is_base_of_v<Reader, SharedStore>, "there is nothing to call");
  static_assert(!std::is_convertible_v<SharedStore&, Store&>);
  static_assert(!std::is_convertible_v<Store&, SharedStore>);
  static_assert(!std::is_default_constructible_v<StoreView>);
  static_assert(!std::is_constructible_v<StoreView, SharedStore>);
  static_assert(!std::is_constructible_v<StoreView, Store&, Identity>);
  static_assert(!std::is_copy_constructible_v<StoreView> && !std::is_move_constructible_v<StoreView>);
  static_assert(std::is_constructible_v<StoreView, SharedStore, Identity>);
}

TEST_F(StoreViewTest, P3NobodySeesOrMakesAnything) {
  StoreView nobody(shared, Identity{});
  EXPECT_THAT(must(nobody.list({})).items, IsEmpty());
  EXPECT_FALSE(nobody.get("inside-1"));
  EXPECT_THAT(must(nobody.ids_with_prefix({"inside", {}, {}, 10})), IsEmpty());
  SessionRecord record;
  record.id = "nobodys-1";
  record.kind = kThread;
  record.status = "active";
  for (const char* principal : {"", "local"}) {
    record.principal = principal;
    EXPECT_FALSE(nobody.write([&](Transaction& transaction) { return transaction.create(record); })) << principal;
  }
}

// Every function of the store, asked by somebody else in every way there is: the answer is that of a store in which the others'
// sessions never were.
TEST_F(StoreViewTest, P3ForeignSessionsAreAnsweredLikeThoseThatNeverWere) {
  SessionRecord foreign;
  foreign.id = "foreign-1";
  foreign.kind = kThread;
  foreign.status = "active";
  foreign.title = "the quick fox of ann";
  foreign.principal = "ann";
  foreign.root_uri = "file:///a";
  must(store->write([&](Transaction& transaction) { return transaction.create(foreign); }));
  foreign.id = "foreign-2";
  must(store->write([&](Transaction& transaction) { return transaction.create(foreign); }));
  say("foreign-1", "the quick fox");
  must(store->write([&](Transaction& transaction) { return transaction.purge("foreign-2", "test"); }));
  LineageEvent event;
  event.child = "foreign-1";
  event.parent = "inside-1";
  event.how = "fork";
  must(store->write([&](Transaction& transaction) { return transaction.add_lineage(event); }));

  for (const Identity& who : {full_identity("local"), held_to({"file:///a"}), held_to({"file:///a"}, "bob")}) {
    StoreView view(shared, who);
    for (const std::string hidden : {"foreign-1", "foreign-2"}) {
      const auto same = [&](const auto& ask) {
        EXPECT_EQ(said(ask(hidden)), renamed(said(ask("never-was")), "never-was", hidden));
      };
      same([&](const std::string& id) { return view.get(id); });
      same([&](const std::string& id) {
        EntryQuery query;
        query.session = id;
        return view.entries(query);
      });
      same([&](const std::string& id) { return view.entry(id, 1); });
      same([&](const std::string& id) { return view.entry_at(id, "", 1); });
      same([&](const std::string& id) { return view.entry_with_key(id, "k"); });
      same([&](const std::string& id) { return view.verify(id); });
      same([&](const std::string& id) {
        SubscribeOptions options;
        options.session = id;
        options.on_ready = [] {};
        return view.subscribe(std::move(options));
      });
      same([&](const std::string& id) { return view.write([&](Transaction& t) { return t.append(id, NewEntry{}); }); });
      same([&](const std::string& id) { return view.write([&](Transaction& t) { return t.note_access(id); }); });
      same([&](const std::string& id) { return view.write([&](Transaction& t) { return t.redact(id, 1); }); });
      same([&](const std::string& id) { return view.write([&](Transaction& t) { return t.purge(id, "x"); }); });
      EXPECT_FALSE(must(view.tombstone(hidden)));
      EXPECT_THAT(must(view.get_each({hidden})), IsEmpty());
      EXPECT_THAT(must(view.entry_each({{hidden, 1}})), IsEmpty());
      EXPECT_THAT(must(view.lineage_of(hidden)), IsEmpty());
      EXPECT_THAT(must(view.lineage_tree(hidden)), IsEmpty());
    }
    Query query;
    query.principal = "ann";
    EXPECT_EQ(must(view.list(query)).total, 0);
    SearchQuery search;
    search.text = "fox";
    for (const std::optional<std::string>& asked : {std::optional<std::string>(), std::optional<std::string>("ann")}) {
      search.principal = asked;
      for (const SearchHit& hit : must(view.search(search)).hits) EXPECT_NE(hit.session, "foreign-1");
    }
    EXPECT_THAT(must(view.ids_with_prefix({"foreign", {}, {}, 10})), IsEmpty());
    for (const Event& seen : must(view.events_after(0, 1000))) EXPECT_FALSE(seen.session.starts_with("foreign"));
    EXPECT_FALSE(view.write([&](Transaction& t) { return t.create(foreign); }));
    EXPECT_FALSE(view.write([&](Transaction& t) { return t.refresh_due("", 10); }));
    EXPECT_FALSE(view.write([&](Transaction& t) { return t.purge_expired(10); }));
    EXPECT_EQ(kind_of(view.write([&](Transaction& t) { return t.add_lineage(event); })), ErrorKind::not_found);
  }
  EXPECT_EQ(must(store->get("foreign-1")).rev, 2) << "and nothing has changed";
}

// What is one's own cannot be given away.
TEST_F(StoreViewTest, P3ASessionStaysItsOwners) {
  StoreView own(shared, full_identity("local"));
  const auto given = own.write([&](Transaction& transaction) -> Result<SessionRecord> {
    HF_TRY(SessionRecord record, transaction.get("inside-1"));
    record.principal = "ann";
    return transaction.update(record);
  });
  ASSERT_FALSE(given);
  EXPECT_EQ(given.error().code, "principal_denied");
}

}  // namespace
}  // namespace holdfast::session
