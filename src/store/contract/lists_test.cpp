#include "store/contract/fixture.h"

namespace holdfast::store {
namespace {

using namespace session;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST_P(ListContract, StatusIsTheOneThatIsShown) {  // design 8.6
  for (const auto& [id, kind] : {std::pair("a", "reasoning"), std::pair("b", "thread"), std::pair("c", "research")}) {
    SessionRecord shelved = record(id, kind);
    shelved.status = "active";
    shelved.visibility = Visibility::archived;
    create(shelved);
  }
  SessionRecord live = record("d", "reasoning");
  live.status = "active";
  create(live);
  Query query;
  query.statuses = {"archived"};
  EXPECT_THAT(list(query), UnorderedElementsAre("a", "b"));
  query.statuses = {"active"};
  EXPECT_THAT(list(query), UnorderedElementsAre("c", "d"));
  query.statuses = {"active", "archived"};
  EXPECT_THAT(list(query), UnorderedElementsAre("a", "b", "c", "d"));
}

// So that a test can say of each record when it is due: the number behind the '@' of its domain.
std::optional<Millis> due_of_domain(const SessionRecord& record) {
  if (!record.domain.starts_with('@')) return std::nullopt;
  return std::stoll(record.domain.substr(1));
}

TEST_P(ListContract, FiltersByEachField) {
  due_ = due_of_domain;
  reopen();
  SessionRecord a = record("a", "thread");
  a.status = "created";
  a.project = "p";
  a.task = "t";
  a.aspect = "x";
  a.tags = {"one", "two"};
  a.pinned = true;
  a.principal = "ann";
  create(a);
  SessionRecord b = record("b", "research");
  b.tags = {"two"};
  b.visibility = Visibility::archived;
  create(b);
  SessionRecord c = record("c");
  c.visibility = Visibility::deleted;
  c.domain = "@50";
  create(c);

  EXPECT_THAT(list({}), UnorderedElementsAre("a", "b"));
  Query query;
  query.kinds = {"thread", "run"};
  EXPECT_THAT(list(query), ElementsAre("a"));
  query = {};
  query.statuses = {"created"};
  EXPECT_THAT(list(query), ElementsAre("a"));
  query = {};
  query.visibilities = {Visibility::deleted};
  EXPECT_THAT(list(query), ElementsAre("c"));
  query.visibilities = {Visibility::live, Visibility::archived, Visibility::deleted};
  EXPECT_THAT(list(query), UnorderedElementsAre("a", "b", "c"));
  query.due_before = 49;
  EXPECT_THAT(list(query), IsEmpty());
  query.due_before = 50;
  EXPECT_THAT(list(query), ElementsAre("c"));
  query = {};
  query.pinned = true;
  EXPECT_THAT(list(query), ElementsAre("a"));
  query.pinned = false;
  EXPECT_THAT(list(query), ElementsAre("b"));
  query = {};
  query.tags = {"two"};
  EXPECT_THAT(list(query), UnorderedElementsAre("a", "b"));
  query.tags = {"two", "one"};
  EXPECT_THAT(list(query), ElementsAre("a"));
  query = {};
  query.project = "p";
  EXPECT_THAT(list(query), ElementsAre("a"));
  query.task = "other";
  EXPECT_THAT(list(query), IsEmpty());
  query = {};
  query.aspect = "x";
  EXPECT_THAT(list(query), ElementsAre("a"));
  query = {};
  query.aspects = {"y", "x"};
  EXPECT_THAT(list(query), ElementsAre("a"));
  query.aspects = {"y", ""};
  EXPECT_THAT(list(query), ElementsAre("b"));
  query = {};
  query.principal = "ann";
  EXPECT_THAT(list(query), ElementsAre("a"));
  query.principal = "bob";
  EXPECT_THAT(list(query), IsEmpty());
}

TEST_P(ListContract, FindsByAnyRoot) {
  SessionRecord a = record("a");
  a.root_uri = "file:///one";
  a.linked_roots = {"file:///two"};
  a = create(a);
  SessionRecord b = record("b");
  b.root_uri = "file:///one/inner";
  create(b);
  create("c");
  Query query;
  query.roots = {"file:///one"};
  EXPECT_THAT(list(query), ElementsAre("a"));
  query.roots = {"file:///two"};
  EXPECT_THAT(list(query), ElementsAre("a"));
  query.rootless = true;
  EXPECT_THAT(list(query), UnorderedElementsAre("a", "c"));
  query.roots = {"file:///two", "file:///one/inner"};
  query.rootless = false;
  EXPECT_THAT(list(query), UnorderedElementsAre("a", "b"));
  a.linked_roots.clear();
  update(a);
  query.roots = {"file:///two"};
  EXPECT_THAT(list(query), IsEmpty());
}

TEST_P(ListContract, TextIsAFoldedSubstring) {
  SessionRecord a = record("a");
  a.title = "Die STRASSE 100%";
  a.description = "about_Pooling";
  a.opening = "What did we decide?";
  a.tags = {"Zebra"};
  create(a);
  Query query;
  for (const char* text : {"straße", "OUT_POOL", "did we", "zebr", "100%"}) {
    query.text = text;
    EXPECT_THAT(list(query), ElementsAre("a")) << text;
  }
  for (const char* text : {"strase", "about.pool", "%0"}) {
    query.text = text;
    EXPECT_THAT(list(query), IsEmpty()) << text;
  }
}

TEST_P(ListContract, LimitsByTimeOfUpdate) {
  for (const char* id : {"a", "b", "c"}) {
    create(id);
    clock_->advance(10);
  }
  Query query;
  query.updated_since = kStart + 10;
  EXPECT_THAT(list(query), ElementsAre("c", "b"));
  query.updated_before = kStart + 20;
  EXPECT_THAT(list(query), ElementsAre("b"));
}

TEST_P(ListContract, Sorts) {
  due_ = due_of_domain;
  reopen();
  for (const char* id : {"a", "b", "c", "d"}) {
    SessionRecord r = record(id);
    if (r.id == "a") r.domain = "@20";
    if (r.id == "c") r.domain = "@10";
    if (r.id == "d") r.status = "completed";
    create(r);
    clock_->advance(10);
  }
  append("b", "newer");
  EXPECT_THAT(list({}), ElementsAre("b", "d", "c", "a"));
  Query query;
  query.sort = Sort::created;
  EXPECT_THAT(list(query), ElementsAre("d", "c", "b", "a"));
  query.sort = Sort::due;
  EXPECT_THAT(list(query), ElementsAre("c", "a", "b", "d"));
  SessionRecord pinned = must(store_->get("a"));
  pinned.pinned = true;
  update(pinned, Touch::nothing);
  query.sort = Sort::resume;
  query.prefer_status = {"active"};
  EXPECT_THAT(list(query), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(all_pages(query, 1), ElementsAre("a", "b", "c", "d"));
  query.prefer_status.clear();
  EXPECT_THAT(list(query), ElementsAre("a", "b", "d", "c"));
  query.sort = Sort::due;
  EXPECT_THAT(all_pages(query, 1), ElementsAre("c", "a", "b", "d"));
}

TEST_P(ListContract, PagesEndWhenTheItemsDo) {
  for (int i = 0; i < 6; ++i) create("s" + std::to_string(i));  // all at the same instant
  Query query;
  query.limit = 3;
  Page page = must(store_->list(query));
  EXPECT_EQ(page.total, 6);
  EXPECT_EQ(page.items.size(), 3u);
  ASSERT_NE(page.next_cursor, "");
  query.cursor = page.next_cursor;
  page = must(store_->list(query));
  EXPECT_EQ(page.total, 6);
  EXPECT_EQ(page.items.size(), 3u);
  EXPECT_EQ(page.next_cursor, "");
  query.cursor.clear();
  query.offset = 5;
  EXPECT_EQ(must(store_->list(query)).items.size(), 1u);
  for (std::size_t limit : {1, 2, 4, 6, 7}) EXPECT_EQ(all_pages({}, limit), list({})) << limit;
}

TEST_P(ListContract, OthersThatChangeNeitherRepeatNorSkipAnItem) {
  for (int i = 0; i < 6; ++i) {
    create("s" + std::to_string(i));
    clock_->advance(1);
  }
  Query query;
  query.limit = 2;
  Page page = must(store_->list(query));
  EXPECT_THAT(ids_of(page), ElementsAre("s5", "s4"));
  append("s4", "moves to the front");
  create("s6");
  must(store_->write([](Transaction& t) { return t.purge("s5", "test"); }));
  query.cursor = page.next_cursor;
  query.limit = 10;
  EXPECT_THAT(list(query), ElementsAre("s3", "s2", "s1", "s0"));
}

TEST_P(ListContract, ACursorBelongsToItsQuestion) {
  for (int i = 0; i < 4; ++i) create("s" + std::to_string(i));
  Query query;
  query.limit = 1;
  query.principal = "local";
  query.cursor = must(store_->list(query)).next_cursor;
  EXPECT_TRUE(store_->list(query));
  const auto refused = [&](const Query& changed) {
    auto page = store_->list(changed);
    return !page && page.error().kind == ErrorKind::invalid && page.error().word() == "INVALID_CURSOR";
  };
  Query other = query;
  other.principal = "somebody";
  EXPECT_TRUE(refused(other));
  other = query;
  other.kinds = {"thread"};
  EXPECT_TRUE(refused(other));
  other = query;
  other.aspects = {""};
  EXPECT_TRUE(refused(other));
  other = query;
  other.sort = Sort::created;
  EXPECT_TRUE(refused(other));
  other = query;
  other.cursor = "bm9uc2Vuc2U";
  EXPECT_TRUE(refused(other));
  other = query;
  other.cursor[4] = other.cursor[4] == 'A' ? 'B' : 'A';
  EXPECT_TRUE(refused(other));
  other = query;
  other.offset = 1;
  EXPECT_EQ(kind_of_failure(store_->list(other)), ErrorKind::invalid);
  other = query;
  other.limit = 2;
  EXPECT_TRUE(store_->list(other));
  reopen();
  EXPECT_TRUE(store_->list(query));
  const auto elsewhere = GetParam().make();
  EXPECT_EQ(kind_of_failure(must(elsewhere->open({}))->list(query)), ErrorKind::invalid);
}

TEST_P(ListContract, CountsOnlyWhenAsked) {
  for (int i = 0; i < 3; ++i) create("s" + std::to_string(i));
  Query query;
  query.limit = 2;
  query.count = false;
  const Page page = must(store_->list(query));
  EXPECT_EQ(page.total, kNotCounted);
  EXPECT_EQ(page.items.size(), 2u);
  query.cursor = page.next_cursor;
  query.count = true;
  EXPECT_EQ(must(store_->list(query)).total, 3);
}

TEST_P(ListContract, RefusesBadLimits) {
  Query query;
  query.limit = 0;
  EXPECT_EQ(kind_of_failure(store_->list(query)), ErrorKind::invalid);
  query.limit = 100'000;
  EXPECT_EQ(kind_of_failure(store_->list(query)), ErrorKind::invalid);
}

}  // namespace
}  // namespace holdfast::store
