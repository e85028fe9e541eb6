#include "base/files/test_folder.h"
#include "store/contract/fixture.h"
#include "store/postgres/connection.h"
#include "store/postgres/rows/write_tables.h"
#include "store/postgres/test_server.h"

#include <thread>

namespace holdfast::store::postgres {
namespace {

using namespace session;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class PostgresStoreTest : public testing::Test {
 protected:
  ~PostgresStoreTest() override { TestServer::instance().drop(url_); }

  std::unique_ptr<Store> open(const OpenOptions& options = {}) const { return must(open_store(url_, options)); }
  std::unique_ptr<Connection> connect() const { return must(Connection::open({url_, {}, std::chrono::seconds(20)})); }
  static void create(Store& store, const std::string& id, const std::vector<std::string>& texts) {
    must(store.write([&](Transaction& t) -> Result<void> {
      SessionRecord record;
      record.id = id;
      record.kind = "thread";
      record.title = "Title of " + id;
      HF_CHECK(t.create(record));
      for (const std::string& text : texts) {
        NewEntry entry;
        entry.type = "message";
        entry.text = text;
        HF_CHECK(t.append(id, entry));
      }
      return {};
    }));
  }

  const std::string url_ = TestServer::instance().fresh_url();
};

TEST_F(PostgresStoreTest, NodesThatStartAtOnceMakeOneStore) {
  std::vector<std::unique_ptr<Store>> stores(6);
  {
    std::vector<std::jthread> threads;
    for (auto& store : stores) threads.emplace_back([&] { store = open(); });
  }
  for (const auto& store : stores) EXPECT_EQ(store->secret(), stores.front()->secret());
}

TEST_F(PostgresStoreTest, ANewerFormatIsReadAndNotWritten) {
  create(*open(), "a", {"text"});
  must(connect()->ask("UPDATE meta SET value = '99' WHERE name = 'format'"));
  auto store = open();
  EXPECT_EQ(must(store->get("a")).entry_count(), 1);
  EXPECT_TRUE(must(store->info()).read_only);
  const auto refused = store->write([](Transaction& t) { return t.note_access("a"); });
  EXPECT_EQ(kind_of_failure(refused), ErrorKind::refused);
  EXPECT_THAT(refused.error().message, HasSubstr("newer holdfast"));
}

TEST_F(PostgresStoreTest, TheFirstFormatIsBroughtForwardWithItsCounts) {
  for (const char* id : {"a", "b", "c"}) create(*open(), id, {"text"});
  auto connection = connect();
  for (const char* sql :
       {"DROP TABLE session_counts", "DROP TRIGGER count_session ON sessions", "DROP TRIGGER count_changed_session ON sessions",
        "DROP FUNCTION count_session()", "DROP INDEX sessions_kind, sessions_hidden, sessions_pinned",
        "UPDATE meta SET value = '1' WHERE name = 'format'"})
    must(connection->ask(sql));
  auto store = open();
  EXPECT_EQ(must(store->list({})).total, 3);
  create(*store, "d", {});
  EXPECT_EQ(must(store->list({})).total, 4);
  EXPECT_TRUE(must(store->integrity()).ok);
}

TEST_F(PostgresStoreTest, SlowWorkThatTouchesMuchIsNotGivenUp) {
  OpenOptions options;
  options.patience = std::chrono::milliseconds(100);
  auto store = open(options);
  bool was_slow = false;
  // More names than are locked one by one, so it has to begin again.
  must(store->write([&](Transaction& t) -> Result<void> {
    for (int i = 0; i < 60; ++i) HF_CHECK(t.put("retention", std::to_string(i), i));
    if (!std::exchange(was_slow, true)) std::this_thread::sleep_for(2 * options.patience);
    return {};
  }));
  EXPECT_EQ(must(store->values({"retention", "", "", 100})).size(), 60U);
}

TEST_F(PostgresStoreTest, CountsFollowEveryChangeAndAreFolded) {
  auto store = open();
  // Twice as often as they are folded, so that sums are over folded rows and fresh ones.
  for (int i = 0; i < 40; ++i) create(*store, "s" + std::to_string(i), {});
  for (int i = 0; i < 1000; ++i) {
    must(store->write([&](Transaction& t) -> Result<SessionRecord> {
      HF_TRY(auto record, t.get("s" + std::to_string(i % 40)));
      record.pinned = !record.pinned;
      return t.update(record);
    }));
  }
  Query pinned;
  pinned.pinned = true;
  EXPECT_EQ(must(store->list(pinned)).total, 40);  // each was turned 25 times
  must(store->write([](Transaction& t) { return t.purge("s0", "test"); }));
  EXPECT_EQ(must(store->list(pinned)).total, 39);
  EXPECT_EQ(must(store->info()).sessions, 39);
  EXPECT_TRUE(must(store->integrity()).ok);
  EXPECT_LT(must(connect()->ask("SELECT count(*) FROM session_counts"))[0].integer(0), 1500) << "nothing was folded";
  must(connect()->ask("UPDATE session_counts SET sessions = sessions + 1"));
  EXPECT_FALSE(must(store->integrity()).ok);
}

TEST(PostgresKeys, AreAllDifferentHoweverFastTheyAreMade) {
  std::int64_t last = 0;
  for (int i = 0; i < 200'000; ++i) {
    const std::int64_t key = make_session_key();
    ASSERT_GT(key, last);
    last = key;
  }
}

TEST_F(PostgresStoreTest, ReadOnlyNeitherMakesNorChangesAnything) {
  OpenOptions options;
  options.read_only = true;
  EXPECT_EQ(kind_of_failure(open_store(url_, options)), ErrorKind::not_found);
  create(*open(), "a", {});
  auto store = open(options);
  EXPECT_EQ(must(store->list({})).total, 1);
  EXPECT_EQ(kind_of_failure(store->write([](Transaction& t) { return t.note_access("a"); })), ErrorKind::refused);
}

TEST_F(PostgresStoreTest, TablesOfAnotherProgramAreLeftAlone) {
  auto other = must(Connection::open({TestServer::instance().url(), "pg_catalog", std::chrono::seconds(20)}));
  const std::string schema = url_.substr(url_.rfind('D') + 1);
  must(other->ask("CREATE SCHEMA " + schema));
  must(other->ask("CREATE TABLE " + schema + ".customers(name text)"));
  EXPECT_EQ(kind_of_failure(open_store(url_, {})), ErrorKind::corrupt);
}

TEST_F(PostgresStoreTest, PasswordsAreInNoMessage) {
  OpenOptions options;
  options.patience = std::chrono::milliseconds(100);
  for (const char* url : {"postgres://somebody:s3cret@127.0.0.1:1/none", "postgres://somebody:s3cret@127.0.0.1:none/none",
                          "postgresql://somebody:s3cret@127.0.0.1/none?nonsense=s3cret"}) {
    const auto store = open_store(url, options);
    ASSERT_FALSE(store) << url;
    EXPECT_THAT(store.error().message + store.error().hint, Not(HasSubstr("s3cret")));
    EXPECT_NE(store.error().hint, "");
  }
  EXPECT_EQ(kind_of_failure(open_store("postgres://somebody:s3cret@127.0.0.1:1/none", options)), ErrorKind::unavailable);
  EXPECT_THAT(must(open()->info()).url, HasSubstr("tester@127.0.0.1"));
}

TEST_F(PostgresStoreTest, AServerThatIsAwayIsUnavailableAndComesBack) {
  OpenOptions options;
  options.patience = std::chrono::milliseconds(200);
  auto store = open(options);
  create(*store, "a", {});
  TestServer::instance().stop();
  EXPECT_EQ(kind_of_failure(store->get("a")), ErrorKind::unavailable);
  EXPECT_EQ(kind_of_failure(store->write([](Transaction& t) { return t.note_access("a"); })), ErrorKind::unavailable);
  TestServer::instance().start();
  EXPECT_TRUE(store->get("a"));
  EXPECT_TRUE(store->write([](Transaction& t) { return t.note_access("a"); }));
}

TEST_F(PostgresStoreTest, ErasedTextIsVacuumed) {
  auto store = open();
  create(*store, "a", {"needleoftheerased one", "stays"});
  create(*store, "b", {"needleoftheerased two"});
  must(store->write([](Transaction& t) -> Result<void> {
    HF_CHECK(t.redact("a", 1));
    HF_CHECK(t.purge("b", "test"));
    return {};
  }));
  auto connection = connect();
  for (const char* table : {"entries", "session_texts", "sessions"}) {
    const Answer dead = must(connection->ask(std::string("SELECT pg_stat_get_dead_tuples('") + table + "'::regclass)"));
    EXPECT_EQ(dead[0].integer(0), 0) << table;
  }
  EXPECT_EQ(must(connection->ask("SELECT count(*) FROM meta WHERE substring(name FROM 1 FOR 6) = 'scrub '"))[0].integer(0), 0);
}

TEST_F(PostgresStoreTest, FindsWhatTheStoreInAFileFinds) {
  const TestFolder folder;
  auto file = must(open_store("sqlite:" + (folder / "store.db")));
  auto database = open();
  std::string many = "everyword";
  for (int i = 0; i < 120'000; ++i) many += " w" + std::to_string(i);  // more than a tsvector takes
  const std::vector<std::string> texts = {"We fixed the CORS header",
                                          "cors again: foo-bar.cpp",
                                          "東京タワー と 京都",
                                          "STRASSE und straße",
                                          "it's a 'quoted' \\ word",
                                          std::string("zero\0byte", 9),
                                          "broken \xed\xa0\x80 \xff utf8",
                                          "½ and ﬁne ligature",
                                          "tail-prefix prefixes",
                                          many,
                                          "needle",
                                          "needles needle"};
  for (Store* store : {file.get(), database.get()}) {
    create(*store, "a", texts);
    create(*store, "b", {"needle in b", "cors"});
  }
  for (const char* text : {"cors",
                           "CORS header",
                           "\"header cors\"",
                           "head",
                           "foo-bar.cpp",
                           "京",
                           "\"京都\"",
                           "strasse",
                           "it's",
                           "'",
                           "\\",
                           "zero byte",
                           "broken",
                           "\xed\xa0\x80",
                           "fine",
                           "½",
                           "1",
                           "pre",
                           "prefix",
                           "\"prefix\"",
                           "w119999 everyword",
                           "w119999 absent",
                           "needle",
                           "need",
                           "title",
                           "\" OR ) & | ! :*",
                           "nothing at all"}) {
    SearchQuery query;
    query.text = text;
    query.per_session = 50;
    std::vector<std::string> found[2];
    int i = 0;
    for (Store* store : {file.get(), database.get()}) {
      for (const SearchHit& hit : must(store->search(query)).hits) {
        found[i].push_back(hit.session + ":" + std::to_string(hit.seq) + " " + hit.snippet);
      }
      ++i;
    }
    EXPECT_EQ(found[0], found[1]) << text;
  }
}

}  // namespace
}  // namespace holdfast::store::postgres
