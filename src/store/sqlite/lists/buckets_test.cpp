#include "store/sqlite/lists/buckets.h"

#include "base/files/file.h"
#include "base/files/test_data.h"
#include "base/files/test_folder.h"
#include "store/contract/fixture.h"
#include "store/sqlite/schema.h"

namespace holdfast::store {
namespace {

using namespace session;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class Buckets : public testing::Test {
 protected:
  std::unique_ptr<Store> open(bool read_only = false) {
    OpenOptions options;
    options.read_only = read_only;
    return must(open_store("sqlite:" + path_, options));
  }
  void fill(int sessions) {
    auto store = open();
    for (int i = 0; i < sessions; ++i) {
      SessionRecord record;
      record.id = "s" + std::to_string(i);
      record.kind = i % 2 == 0 ? "thread" : "research";
      record.status = i % 3 == 0 ? "created" : "active";
      record.aspect = "chat";
      must(store->write([&](Transaction& t) { return t.create(record); }));
    }
  }
  void tamper(const std::string& sql) { must(must(Db::open(path_, Db::Mode::read_write))->script(sql)); }
  std::vector<Bucket> buckets() {
    auto found = must(read_buckets(*must(Db::open(path_, Db::Mode::read_only))));
    EXPECT_TRUE(found);
    return found.value_or(std::vector<Bucket>());
  }
  static Page threads_of(Store& store) {
    Query query;
    query.kinds = {"thread"};
    return must(store.list(query));
  }

  TestFolder folder_;
  std::string path_ = folder_ / "store.db";
};

TEST_F(Buckets, CountWhatStandsOnThem) {
  fill(6);
  std::vector<std::string> found;
  for (const Bucket& bucket : buckets()) {
    found.push_back(bucket.kind + " " + bucket.status + " " + std::to_string(bucket.sessions));
  }
  EXPECT_THAT(found, UnorderedElementsAre("thread created 1", "thread active 2", "research created 1", "research active 2"));
}

TEST_F(Buckets, AreFewHoweverManyAspectsThereAre) {
  auto store = open();
  constexpr int kAspects = 60;
  for (int i = 0; i < kAspects; ++i) {
    SessionRecord record;
    record.id = "s" + std::to_string(i);
    record.kind = "reasoning";
    record.aspect = "aspect " + std::to_string(i);
    must(store->write([&](Transaction& t) { return t.create(record); }));
  }
  EXPECT_EQ(buckets().size(), kMaxAspectBuckets + 1);
  EXPECT_EQ(must(store->list({})).total, kAspects);
  Query query;
  query.aspects = {"aspect 3", "aspect 50", "aspect 51", "nothing"};
  const Page page = must(store->list(query));
  EXPECT_THAT(ids_of(page), UnorderedElementsAre("s3", "s50", "s51"));
  EXPECT_EQ(page.total, 3);
}

TEST_F(Buckets, P6AnAspectGoesWithTheLastSessionThatHasIt) {
  const auto aspects = [&] {
    std::vector<std::string> words;
    for (const Bucket& bucket : buckets())
      if (bucket.aspect && !bucket.aspect->empty()) words.push_back(*bucket.aspect);
    return words;
  };
  auto store = open();
  std::size_t rows = 0;
  for (int i = 0; i < 40; ++i) {
    const std::string word = "word " + std::to_string(i);
    for (const char* each : {"first", "second"}) {
      SessionRecord record;
      record.id = each + std::to_string(i);
      record.kind = "reasoning";
      record.status = "active";
      record.aspect = word;
      must(store->write([&](Transaction& t) { return t.create(record); }));
    }
    must(store->write([&](Transaction& t) -> Result<SessionRecord> {
      HF_TRY(auto first, t.get("first" + std::to_string(i)));
      first.status = "completed";
      return t.update(first);
    }));
    EXPECT_THAT(aspects(), UnorderedElementsAre(word, word)) << "one for either status";
    must(store->write([&](Transaction& t) { return t.purge("first" + std::to_string(i), "test"); }));
    EXPECT_THAT(aspects(), UnorderedElementsAre(word));
    must(store->write([&](Transaction& t) { return t.purge("second" + std::to_string(i), "test"); }));
    EXPECT_THAT(aspects(), IsEmpty());
    if (i == 0) rows = buckets().size();
  }
  EXPECT_EQ(buckets().size(), rows) << "rows are used again";
  EXPECT_TRUE(must(store->integrity()).ok);
}

TEST_F(Buckets, P6AWordThatAnEarlierVersionLeftIsGoneAfterTheNextOpening) {
  fill(6);
  const auto number = static_cast<std::int64_t>(buckets().size()) + 1;
  must(write_bucket(*must(Db::open(path_, Db::Mode::read_write)),
                    {number, "local", "reasoning", 0, "active", false, "left behind", 0}));
  ASSERT_EQ(buckets().back().aspect, "left behind");
  open();
  for (const Bucket& bucket : buckets()) EXPECT_NE(bucket.aspect, "left behind");
  EXPECT_TRUE(must(open()->integrity()).ok);
}

// Accidents of one byte, of a lost row, of a session that points nowhere: no session may be missing from a list.
TEST_F(Buckets, ThatAreDamagedHideNoSession) {
  int number = 0;
  for (const char* accident :
       {"UPDATE shelves SET sessions = 0", "UPDATE shelves SET kind = 'thfead' WHERE kind = 'thread'",
        "UPDATE shelves SET visibility = 2", "DELETE FROM shelves WHERE kind = 'thread'", "DELETE FROM shelves",
        "UPDATE sessions SET shelf = 0", "UPDATE sessions SET shelf = 99", "UPDATE shelves SET principal = ''"}) {
    path_ = folder_ / ("store" + std::to_string(++number) + ".db");
    fill(6);
    tamper(accident);
    auto reading = open(true);
    EXPECT_EQ(must(reading->list({})).total, 6) << accident;
    EXPECT_EQ(must(reading->list({})).items.size(), 6u) << accident;
    EXPECT_EQ(threads_of(*reading).items.size(), 3u) << accident;
    EXPECT_EQ(threads_of(*reading).total, 3) << accident;
    const Integrity report = must(reading->integrity());
    EXPECT_FALSE(report.ok) << accident;
    EXPECT_THAT(report.problems, Contains(HasSubstr("counts of sessions are damaged"))) << accident;
    reading.reset();

    auto store = open();  // counts anew
    EXPECT_TRUE(must(store->integrity()).ok) << accident;
    EXPECT_EQ(threads_of(*store).total, 3) << accident;
  }
}

TEST_F(Buckets, ThatAreDamagedDoNotStopWriters) {
  fill(6);
  auto store = open();
  tamper("UPDATE shelves SET sessions = 17 WHERE kind = 'thread'");
  SessionRecord record = must(store->get("s2"));
  record.pinned = true;
  must(store->write([&](Transaction& t) { return t.update(record); }));
  must(store->write([&](Transaction& t) { return t.purge("s4", "test"); }));
  EXPECT_EQ(threads_of(*store).total, 2);
  EXPECT_FALSE(must(store->integrity()).ok);  // writing on has not made it look sound
  store.reset();
  store = open();
  EXPECT_EQ(threads_of(*store).total, 2);
  EXPECT_TRUE(must(store->integrity()).ok);
}

TEST_F(Buckets, VerifyComparesThemWithTheSessions) {
  fill(6);
  tamper("UPDATE sessions SET shelf = 1 WHERE id = 's1'");
  EXPECT_THAT(must(open()->integrity()).problems,
              ElementsAre("1 sessions are listed under the wrong heading",
                          "1 sessions of kind thread and status created are counted, 2 found",
                          "2 sessions of kind research and status active are counted, 1 found"));
}

TEST_F(Buckets, AStoreOfVersion1IsBroughtForward) {
  {
    auto db = must(Db::open(path_, Db::Mode::create));
    must(db->script(must(read_file(test_data("store-version-1/store.sql")))));
  }
  OpenOptions reading;
  reading.read_only = true;
  EXPECT_EQ(kind_of_failure(open_store("sqlite:" + path_, reading)), ErrorKind::refused);

  auto store = open();
  EXPECT_EQ(must(store->info()).schema_version, kSchemaVersion);
  const Integrity report = must(store->integrity());
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.sessions, 6);
  EXPECT_EQ(report.entries, 12);
  const auto list = [&](const Query& query) {
    const Page page = must(store->list(query));
    EXPECT_EQ(page.total, static_cast<std::int64_t>(page.items.size()));
    return ids_of(page);
  };
  EXPECT_THAT(list({}), ElementsAre("plain", "thread-bbbbbbbb", "thread-aaaaaaaa", "only-linked", "linked"));
  Query query;
  query.roots = {"file:///one"};
  query.principal = "local";
  EXPECT_THAT(list(query), ElementsAre("plain", "linked"));
  query.roots = {"file:///two"};
  query.rootless = true;
  EXPECT_THAT(list(query), ElementsAre("thread-aaaaaaaa", "only-linked", "linked"));
  query = {};
  query.due_before = 1'796'000'000'000;
  query.visibilities = {Visibility::live, Visibility::archived, Visibility::deleted};
  query.sort = Sort::due;
  EXPECT_THAT(list(query), ElementsAre("research-cccccccc", "thread-bbbbbbbb"));
  query = {};
  query.pinned = true;
  EXPECT_THAT(list(query), ElementsAre("only-linked"));

  EXPECT_EQ(must(store->get("plain")).title, "Title of plain");
  EXPECT_EQ(store->get("gone").error().word(), "gone");
  EXPECT_EQ(must(store->value("space", "key"))->value, Json("value"));
  NewEntry entry;
  entry.type = "note";
  EXPECT_EQ(must(store->write([&](Transaction& t) { return t.append("plain", entry); })).entry.seq, 3);
  store.reset();
  EXPECT_TRUE(must(open()->integrity()).ok);
}

}  // namespace
}  // namespace holdfast::store
