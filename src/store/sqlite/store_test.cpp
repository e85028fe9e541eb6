#include "store/sqlite/store.h"

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "store/contract/fixture.h"
#include "store/open.h"
#include "store/sqlite/schema.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <thread>

namespace holdfast::store {
namespace {

using namespace session;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SqliteStore : public testing::Test {
 protected:
  std::unique_ptr<Store> open(const OpenOptions& options = {}) { return must(open_store(url_, options)); }

  static void create(Store& store, const std::string& id, int entries, const std::string& text = "text") {
    must(store.write([&](Transaction& t) -> Result<void> {
      SessionRecord record;
      record.id = id;
      record.kind = "thread";
      record.title = "Title of " + id;
      HF_CHECK(t.create(record));
      for (int i = 1; i <= entries; ++i) {
        NewEntry entry;
        entry.type = "message";
        entry.text = text + " " + std::to_string(i);
        HF_CHECK(t.append(id, entry));
      }
      return {};
    }));
  }
  static SearchQuery looking_for(std::string text, std::size_t per_session = 100) {
    SearchQuery query;
    query.text = std::move(text);
    query.limit = 100;
    query.per_session = per_session;
    return query;
  }
  // What somebody with an editor for databases could do.
  void tamper(const std::string& sql) {
    auto db = must(Db::open(path_, Db::Mode::read_write));
    must(db->script(sql));
  }
  bool any_file_contains(const std::string& bytes) {
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder_.path() + "/data")) {
      if (file.is_regular_file() && must(read_file(file.path().string())).contains(bytes)) return true;
    }
    return false;
  }
  // Searches until something is in the index.
  void index_with(Store& store, const SearchQuery& query) {
    while (true) {
      must(store.search(query));
      std::error_code none;
      for (std::filesystem::directory_iterator file(path_ + ".index", none), end; !none && file != end; file.increment(none))
        if (file->path().extension() == ".segment") return;
      std::this_thread::yield();
    }
  }
  static mode_t mode_of(const std::string& path) {
    struct stat status{};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 0777;
  }

  TestFolder folder_;
  std::string path_ = folder_ / "data/store.db";
  std::string url_ = "sqlite:" + path_;
};

// Two programs that a person starts at once on a new machine.
TEST(OpenAtOnce, AllMakeTheStore) {
  const TestFolder folder;
  for (int round = 0; round < 30; ++round) {
    const std::string url = "sqlite:" + (folder / ("store-" + std::to_string(round) + ".db"));
    std::array<std::string, 3> refusals;
    std::vector<std::jthread> programs;
    for (std::string& refusal : refusals)
      programs.emplace_back([&] {
        if (const auto store = open_store(url); !store) refusal = store.error().message;
      });
    programs.clear();
    EXPECT_THAT(refusals, Each(IsEmpty())) << round;
  }
}

TEST_F(SqliteStore, BelongsToItsUserAlone) {
  auto store = open();
  create(*store, "a", 1);
  EXPECT_EQ(mode_of(folder_.path() + "/data"), 0700u);
  for (const char* suffix : {"", "-wal", "-shm"}) EXPECT_EQ(mode_of(path_ + suffix), 0600u) << suffix;
}

TEST_F(SqliteStore, ClosingLeavesOneFile) {
  auto store = open();
  create(*store, "a", 3);
  EXPECT_TRUE(store->get("a"));
  store.reset();
  EXPECT_TRUE(std::filesystem::exists(path_));
  EXPECT_FALSE(std::filesystem::exists(path_ + "-wal"));
}

TEST_F(SqliteStore, OtherAddressesAreRefused) {
  for (const char* url : {"postgre://u:secret@h/db", "mysql:x", "", "sqlite:", "/plain/path"}) {
    auto store = open_store(url);
    EXPECT_EQ(kind_of_failure(store), ErrorKind::invalid) << url;
    EXPECT_THAT(store.error().message, testing::Not(HasSubstr("secret")));
  }
}

TEST_F(SqliteStore, AFileThatIsNoStoreIsLeftAlone) {
  must(make_private_folder(folder_.path() + "/data"));
  must(create_file(path_, std::string(8192, 'x')));
  EXPECT_EQ(kind_of_failure(open_store(url_)), ErrorKind::corrupt);
  EXPECT_EQ(must(read_file(path_)), std::string(8192, 'x'));

  const std::string other = folder_ / "data/other.db";
  must(must(Db::open(other, Db::Mode::create))->script("CREATE TABLE mine(a)"));
  EXPECT_EQ(kind_of_failure(open_store("sqlite:" + other)), ErrorKind::corrupt);
  EXPECT_EQ(must(must(Db::open(other, Db::Mode::read_only))->number("SELECT count(*) FROM sqlite_schema")), 1);
}

TEST_F(SqliteStore, ANewerFormatIsReadNotWritten) {
  create(*open(), "a", 2);
  tamper("PRAGMA user_version=99; CREATE TABLE of_the_future(x)");
  auto store = open();
  EXPECT_EQ(must(store->get("a")).entry_count(), 2);
  EXPECT_TRUE(must(store->integrity()).ok);
  EXPECT_EQ(must(store->search(looking_for("text"))).hits.size(), 2u);
  auto written = store->write([](Transaction& t) { return t.note_access("a"); });
  EXPECT_EQ(kind_of_failure(written), ErrorKind::refused);
  EXPECT_THAT(written.error().message, HasSubstr("newer"));
  const StoreInfo info = must(store->info());
  EXPECT_TRUE(info.read_only);
  EXPECT_EQ(info.schema_version, 99);
  EXPECT_THAT(info.read_only_reason, HasSubstr("newer"));
}

TEST_F(SqliteStore, ReadOnlyMeansReadOnly) {
  OpenOptions options;
  options.read_only = true;
  EXPECT_EQ(kind_of_failure(open_store(url_, options)), ErrorKind::not_found);
  create(*open(), "a", 1);
  auto store = open(options);
  EXPECT_EQ(must(store->get("a")).title, "Title of a");
  EXPECT_EQ(kind_of_failure(store->write([](Transaction& t) { return t.note_access("a"); })), ErrorKind::refused);
}

TEST_F(SqliteStore, AChangedEntryIsFoundAndDoesNotHideOthers) {
  create(*open(), "a", 3);
  create(*open(), "b", 3);
  tamper("UPDATE entries SET text = CAST('forged' AS BLOB) WHERE session = 1 AND seq = 2");
  auto store = open();
  const Verification report = must(store->verify("a"));
  EXPECT_FALSE(report.ok);
  EXPECT_THAT(report.problems, ElementsAre("entry 2: the entry does not fit its hash"));
  EntryQuery query;
  query.session = "a";
  const EntryPage page = must(store->entries(query));
  ASSERT_EQ(page.entries.size(), 3u);
  EXPECT_FALSE(page.entries[0].damage);
  EXPECT_TRUE(page.entries[1].damage);
  EXPECT_FALSE(page.entries[2].damage);
  EXPECT_TRUE(must(store->verify("b")).ok);
  const Integrity all = must(store->integrity());
  EXPECT_FALSE(all.ok);
  ASSERT_EQ(all.damaged.size(), 1u);
  EXPECT_EQ(all.damaged[0].session, "a");
  EXPECT_EQ(all.sessions, 2);
}

TEST_F(SqliteStore, RemovedSwappedAndForeignEntriesAreFound) {
  const auto problems_after = [&](const std::string& id, const std::string& sql) {
    create(*open(), id, 4);
    tamper(sql);
    return must(open()->verify(id)).problems;
  };
  EXPECT_THAT(problems_after("middle", "DELETE FROM entries WHERE session = 1 AND seq = 2"),
              testing::Contains("entries 2 to 2 are missing"));
  EXPECT_THAT(problems_after("last", "DELETE FROM entries WHERE session = 2 AND seq = 4"),
              testing::Contains(HasSubstr("the record counts 4 entries")));
  EXPECT_THAT(problems_after("swapped",
                             "UPDATE entries SET seq = 99 WHERE session = 3 AND seq = 2;"
                             "UPDATE entries SET seq = 2 WHERE session = 3 AND seq = 3;"
                             "UPDATE entries SET seq = 3 WHERE session = 3 AND seq = 99"),
              testing::Not(IsEmpty()));
  EXPECT_THAT(problems_after("unsalted", "UPDATE entries SET salt = NULL WHERE session = 4 AND seq = 1"),
              ElementsAre("entry 1: neither salt nor mac of the entry are there"));
  EXPECT_THAT(problems_after("counted", "UPDATE tallies SET count = 7 WHERE session = 5"),
              ElementsAre("7 entries of type message are counted, 4 found"));
}

TEST_F(SqliteStore, AChangedRecordIsListedAsDamagedAndNotWritten) {
  create(*open(), "a", 1);
  create(*open(), "b", 1);
  tamper("UPDATE sessions SET title = 'forged' WHERE id = 'a'");
  tamper("UPDATE session_texts SET data = 'not json' WHERE session = 2");
  auto store = open();
  EXPECT_THAT(must(store->get("a")).damage.value(), HasSubstr("checksum"));
  EXPECT_THAT(must(store->get("b")).damage.value(), HasSubstr("data cannot be read"));
  const Page page = must(store->list({}));
  EXPECT_EQ(page.items.size(), 2u);
  for (const SessionRecord& record : page.items) EXPECT_TRUE(record.damage) << record.id;
  NewEntry entry;
  entry.type = "message";
  EXPECT_EQ(kind_of_failure(store->write([&](Transaction& t) { return t.append("a", entry); })), ErrorKind::corrupt);
  EXPECT_EQ(kind_of_failure(store->write([&](Transaction& t) { return t.update(page.items[0]); })), ErrorKind::corrupt);
  must(store->write([](Transaction& t) { return t.purge("a", "damaged"); }));
}

TEST_F(SqliteStore, ADamagedPageDoesNotHideTheOtherSessions) {
  constexpr int kSessions = 200;  // enough rows for several pages
  {
    auto store = open();
    for (int i = 0; i < kSessions; ++i) create(*store, "session-" + std::to_string(1000 + i), 0);
  }
  // A leaf page of the sessions table begins with the byte 13; the rows hold the titles.
  std::string bytes = must(read_file(path_));
  const std::size_t title = bytes.find("Title of session-1100");
  ASSERT_NE(title, std::string::npos);
  std::size_t page = title / 4096 * 4096;
  if (bytes[page] != 13) {
    const std::size_t again = bytes.find("Title of session-1100", title + 1);
    ASSERT_NE(again, std::string::npos);
    page = again / 4096 * 4096;
  }
  ASSERT_EQ(bytes[page], 13);
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(page), 4096, '\x55');
  must(replace_file(path_, bytes));

  auto store = open();
  Query query;
  query.limit = 1000;
  const Page all = must(store->list(query));
  EXPECT_EQ(all.total, kSessions);
  ASSERT_EQ(all.items.size(), static_cast<std::size_t>(kSessions));
  int damaged = 0;
  for (const SessionRecord& record : all.items) damaged += record.damage ? 1 : 0;
  EXPECT_GT(damaged, 0);
  EXPECT_LT(damaged, kSessions / 2);
  const Integrity report = must(store->integrity());
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.sessions, kSessions);
  EXPECT_GE(static_cast<int>(report.damaged.size()), damaged);
}

TEST_F(SqliteStore, NoByteOfErasedTextRemains) {
  const std::string secret = "xyzzysecretword";
  auto store = open();
  create(*store, "kept", 2, "harmless");
  create(*store, "redacted", 200, secret);
  create(*store, "purged", 200, secret + std::string(9000, 'p'));
  EXPECT_EQ(must(store->search(looking_for(secret, 1))).hits.size(), 2u);
  store.reset();
  store = open();  // the feeder of the first one has ended
  EXPECT_TRUE(any_file_contains(secret));
  must(store->write([](Transaction& t) -> Result<void> {
    for (int seq = 1; seq <= 200; ++seq) HF_CHECK(t.redact("redacted", seq));
    return t.purge("purged", "test");
  }));
  EXPECT_FALSE(any_file_contains(secret));
  EXPECT_THAT(must(store->search(looking_for(secret))).hits, IsEmpty());
  EXPECT_EQ(must(store->search(looking_for("harmless"))).hits.size(), 2u);
  EXPECT_TRUE(must(store->integrity()).ok);
}

TEST_F(SqliteStore, ABrokenIndexIsReplaced) {
  const std::string index = path_ + ".index";
  auto store = open();
  create(*store, "a", 40, "needle " + std::string(20'000, 'h'));
  const SearchQuery query = looking_for("needle");
  EXPECT_EQ(must(store->search(query)).hits.size(), 40u);
  index_with(*store, query);
  store.reset();
  EXPECT_EQ(mode_of(index), 0700u);
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(index)) {
    files.push_back(file.path().string());
    EXPECT_EQ(mode_of(files.back()), 0600u) << files.back();
  }
  EXPECT_GE(files.size(), 4u) << "manifest, lock, mark, and a segment";
  for (const std::string& file : files) {
    for (const std::string& content : {std::string("garbage"), std::string(100'000, '\x55'), std::string()}) {
      must(replace_file(file, content));
      for (int again = 0; again < 2; ++again) {
        store = open();
        EXPECT_EQ(must(store->search(query)).hits.size(), 40u);
        EXPECT_EQ(must(store->search(query)).hits.size(), 40u);
        store.reset();
      }
    }
  }
  std::filesystem::remove_all(index);
  EXPECT_EQ(must(open()->search(query)).hits.size(), 40u);
}

TEST_F(SqliteStore, TheIndexOfAnEarlierVersionIsRemoved) {
  create(*open(), "a", 40, "needle " + std::string(20'000, 'h'));
  for (const char* suffix : {"", "-wal", "-shm"}) must(replace_file(path_ + ".index" + suffix, "words of long ago"));
  auto store = open();
  EXPECT_FALSE(any_file_contains("long ago"));
  index_with(*store, looking_for("needle"));
  EXPECT_EQ(must(store->search(looking_for("needle"))).hits.size(), 40u);
}

TEST_F(SqliteStore, WhatACrashLeftInTheIndexGoesWhenTheStoreIsOpened) {
  const std::string secret = "xyzzysecretword", before = folder_ / "before";
  create(*open(), "a", 40, secret + std::string(20'000, 'h'));
  index_with(*open(), looking_for(secret, 1));
  std::filesystem::copy(path_ + ".index", before);
  must(open()->write([](Transaction& t) { return t.purge("a", "test"); }));
  EXPECT_FALSE(any_file_contains(secret));
  // As if the process had died between the commit and the end of forgetting.
  std::filesystem::remove_all(path_ + ".index");
  std::filesystem::copy(before, path_ + ".index");
  EXPECT_TRUE(any_file_contains(secret));
  open();
  EXPECT_FALSE(any_file_contains(secret));
}

TEST_F(SqliteStore, AnIndexOfAnotherStoreIsNotBelieved) {
  create(*open(), "a", 40, "needle " + std::string(20'000, 'h'));
  index_with(*open(), looking_for("needle"));
  const std::string index = path_ + ".index";
  const std::string other = folder_ / "data/other.db";
  std::filesystem::copy(index, other + ".index");
  auto store = must(open_store("sqlite:" + other));
  create(*store, "b", 1, "needle");
  EXPECT_EQ(must(store->search(looking_for("needle"))).hits.size(), 1u);
}

TEST_F(SqliteStore, ABusyStoreIsUnavailableAndUnharmed) {
  OpenOptions options;
  options.patience = std::chrono::milliseconds(20);
  auto store = open(options);
  create(*store, "a", 0);
  // Another process that holds the lock for good.
  auto other = must(Db::open(path_, Db::Mode::read_write));
  must(other->run("BEGIN IMMEDIATE"));
  EXPECT_EQ(kind_of_failure(store->write([](Transaction& t) { return t.note_access("a"); })), ErrorKind::unavailable);
  EXPECT_TRUE(store->get("a"));
  must(other->run("ROLLBACK"));
  must(store->write([](Transaction& t) { return t.note_access("a"); }));
}

}  // namespace
}  // namespace holdfast::store
