// One page of a store after the other is damaged: it costs what was in it, and nobody else anything.

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "store/backup.h"
#include "store/contract/fixture.h"
#include "store/open.h"
#include "store/sqlite/db.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <random>
#include <set>
#include <sstream>

namespace holdfast::store {
namespace {

using namespace session;

constexpr std::size_t kPageBytes = 4096;
constexpr int kHealthy = 30;  // sessions, enough for some pages of each table

class SqliteMend : public testing::Test {
 protected:
  static std::string id_of(int number) { return "session-" + std::to_string(1000 + number); }

  static Result<void> create(Transaction& t, const std::string& id, int entries) {
    SessionRecord record;
    record.id = id;
    record.kind = "thread";
    record.title = "Title of " + id;
    record.root_uri = "file:///project";
    record.tags = {"tag"};
    HF_CHECK(t.create(record));
    for (int i = 1; i <= entries; ++i) HF_CHECK(t.append(id, message(i)));
    return {};
  }
  static NewEntry message(int number) {
    NewEntry entry;
    entry.type = "message";
    entry.number = number;
    entry.idempotency_key = "key-" + std::to_string(number);
    entry.text = "text " + std::to_string(number) + std::string(300, 'x');
    return entry;
  }

  static EntryQuery all_of(const std::string& id) {
    EntryQuery query;
    query.session = id;
    return query;
  }
  static Query everything() {
    Query query;
    query.limit = 1000;
    return query;
  }

  void SetUp() override {
    {
      auto store = must(open_store("sqlite:" + whole_));
      for (int i = 0; i < kHealthy; ++i) must(store->write([&](Transaction& t) { return create(t, id_of(i), 12); }));
      must(store->write([](Transaction& t) -> Result<void> {
        for (int i = 0; i < 100; ++i) HF_CHECK(t.put("session", "key-" + std::to_string(i), JsonObject{{"value", i}}));
        HF_CHECK(t.purge(id_of(kHealthy - 1), "for a tombstone"));
        return {};
      }));
    }
    bytes_ = must(read_file(whole_));
    pages_ = bytes_.size() / kPageBytes;
    auto db = must(Db::open(whole_, Db::Mode::read_only));
    meta_ = static_cast<std::size_t>(must(db->number("SELECT rootpage FROM sqlite_schema WHERE name = 'meta'")).value_or(0));
    counter_ = static_cast<std::size_t>(
        must(db->number("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_sequence'")).value_or(0));
  }

  // Without the list of tables, without the secret of the store, and without SQLite's own table nothing goes on.
  bool is_vital(std::size_t page) const {
    return page == 1 || page == meta_ || page == counter_ ||
           std::string_view(bytes_).substr((page - 1) * kPageBytes, kPageBytes).contains("CREATE ");
  }

  std::string with_damaged(std::size_t page) const {
    std::string damaged = bytes_;
    std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>((page - 1) * kPageBytes), kPageBytes, '\0');
    return damaged;
  }

  // All sessions are listed, those that are whole can be written to, and there are new ones. How many are whole.
  static int expect_life_goes_on(const std::string& path) {
    auto store = must(open_store("sqlite:" + path));
    const auto page = store->list(everything());
    EXPECT_TRUE(page) << page.error().message;
    if (!page) return 0;
    EXPECT_EQ(page->items.size(), static_cast<std::size_t>(kHealthy - 1));
    int whole = 0;
    for (const SessionRecord& record : page->items) {
      const auto verified = store->verify(record.id);
      if (!verified || !verified->ok) continue;
      ++whole;
      const auto appended = store->write([&](Transaction& t) { return t.append(record.id, message(100)); });
      EXPECT_TRUE(appended) << record.id << ": " << appended.error().message;
      const auto read = store->entries(all_of(record.id));
      EXPECT_TRUE(read) << record.id << ": " << read.error().message;
      if (read) EXPECT_EQ(read->entries.size(), 13u);
    }
    const auto fresh = store->write([](Transaction& t) { return create(t, "new", 3); });
    EXPECT_TRUE(fresh) << fresh.error().message;
    EXPECT_TRUE(store->write([](Transaction& t) { return t.put("session", "key-new", JsonObject{{"value", 1}}); }));
    EXPECT_TRUE(store->value("session", "key-50"));
    return whole;
  }

  const TestFolder folder_;
  const std::string whole_ = folder_ / "whole.db";
  const std::string path_ = folder_ / "store.db";
  std::string bytes_;
  std::size_t pages_ = 0, meta_ = 0, counter_ = 0;
};

// A page holds parts of a few sessions at most.
constexpr int kMostOnAPage = 20;

TEST_F(SqliteMend, P7ADamagedPageCostsItsOwnSessionsOnly) {
  ASSERT_GT(pages_, 40u);
  for (std::size_t page = 1; page <= pages_; ++page) {
    if (is_vital(page)) continue;
    SCOPED_TRACE("page " + std::to_string(page));
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + suffix);
    must(replace_file(path_, with_damaged(page)));
    // Roots of tables may be all there is of them; of the others most sessions are whole.
    const int whole = expect_life_goes_on(path_);
    auto db = must(Db::open(whole_, Db::Mode::read_only));
    const auto root = must(db->number("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND rootpage = ?", page));
    if (root.value_or(0) == 0) EXPECT_GE(whole, kHealthy - 1 - kMostOnAPage);
  }
}

TEST_F(SqliteMend, P7AFileThatWasCutByAPageGoesOn) {
  must(replace_file(path_, bytes_.substr(0, bytes_.size() - kPageBytes)));
  EXPECT_GE(expect_life_goes_on(path_), kHealthy - 1 - kMostOnAPage);
}

TEST_F(SqliteMend, P7ReadingACutFileNeedsNoMending) {
  must(replace_file(path_, bytes_.substr(0, bytes_.size() - kPageBytes)));
  OpenOptions options;
  options.read_only = true;
  auto store = must(open_store("sqlite:" + path_, options));
  EXPECT_EQ(must(store->list({})).total, kHealthy - 1);
}

TEST_F(SqliteMend, P7ADamagedIndexIsMadeAnewAndNothingIsLost) {
  std::vector<std::size_t> roots;
  {
    auto db = must(Db::open(whole_, Db::Mode::read_only));
    auto rows = must(db->query("SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND rootpage > 0"));
    while (must(rows.next())) roots.push_back(static_cast<std::size_t>(rows.integer(0)));
  }
  ASSERT_GT(roots.size(), 10u);
  for (const std::size_t root : roots) {
    SCOPED_TRACE(root);
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + suffix);
    must(replace_file(path_, with_damaged(root)));
    EXPECT_EQ(expect_life_goes_on(path_), kHealthy - 1);
  }
}

TEST_F(SqliteMend, P7SalvageSaysWhatIsLostAndTheRestIsWhole) {
  int lost = 0;
  for (std::size_t page = 1; page <= pages_; ++page) {
    if (is_vital(page)) continue;
    SCOPED_TRACE("page " + std::to_string(page));
    const std::string target = folder_ / ("salvaged-" + std::to_string(page) + ".db");
    must(replace_file(path_, with_damaged(page)));
    const auto salvaged = salvage("sqlite:" + path_, target, [](std::uint64_t, std::uint64_t) {});
    ASSERT_TRUE(salvaged) << salvaged.error().message;
    EXPECT_EQ(must(read_file(path_)), with_damaged(page)) << "the source is only read";
    EXPECT_EQ(salvaged->sessions, kHealthy - 1);
    if (!salvaged->damaged.empty()) {
      ++lost;
      EXPECT_FALSE(salvaged->rebuilt.empty());
    }
    // What is left has sound trees and no page of the old ones.
    auto db = must(Db::open(target, Db::Mode::read_only));
    auto rows = must(db->query("PRAGMA integrity_check"));
    ASSERT_TRUE(must(rows.next()));
    EXPECT_EQ(rows.text(0), "ok");
    // Who is not named is whole.
    std::set<std::string> damaged;
    for (const Verification& each : salvaged->damaged) damaged.insert(each.session);
    OpenOptions options;
    options.read_only = true;
    auto copy = must(open_store("sqlite:" + target, options));
    for (int i = 0; i < kHealthy - 1; ++i)
      if (!damaged.contains(id_of(i))) EXPECT_EQ(must(copy->entries(all_of(id_of(i)))).entries.size(), 12u) << i;
  }
  EXPECT_GT(lost, 0);
}

TEST_F(SqliteMend, P7SalvageOverwritesNothing) {
  must(replace_file(path_, bytes_));
  EXPECT_EQ(kind_of_failure(salvage("sqlite:" + whole_, path_, [](std::uint64_t, std::uint64_t) {})), ErrorKind::conflict);
  EXPECT_EQ(must(read_file(path_)), bytes_);
}

// An entry of which only the index knows keeps its place and its number, and says that it is damaged.
TEST_F(SqliteMend, P7ALostEntryIsShownAndItsNumberIsNotUsedAgain) {
  std::size_t leaf = 0;  // the last one of the entries
  for (std::size_t page = 2; page <= pages_; ++page) {
    const std::string_view content = std::string_view(bytes_).substr((page - 1) * kPageBytes, kPageBytes);
    if (content[0] == '\x0d' && content.contains("key-12") && content.contains(std::string(300, 'x'))) leaf = page;
  }
  ASSERT_NE(leaf, 0u);
  must(replace_file(path_, with_damaged(leaf)));
  auto store = must(open_store("sqlite:" + path_));
  const std::int64_t last = must(must(open_store("sqlite:" + whole_))->last_sequence());
  must(store->write([](Transaction& t) { return create(t, "new", 1); }));
  EXPECT_GT(must(store->entries(all_of("new"))).entries.front().sequence, last);
  int shown = 0;
  for (const SessionRecord& record : must(store->list(everything())).items) {
    const auto page = must(store->entries(all_of(record.id)));
    for (const Entry& entry : page.entries) shown += entry.damage ? 1 : 0;
    if (record.id != "new") EXPECT_EQ(page.entries.size(), 12u) << record.id;
  }
  EXPECT_GT(shown, 0);
}

// Random bytes, few or many, in every page: they break trees in ways that zeros do not (keys out of order, free space that is
// none, rows that an index does not know).
class SqliteNoise : public SqliteMend {
 protected:
  static constexpr std::size_t kLengths[] = {1, 8, 64, kPageBytes};
  static constexpr std::size_t kStride = 3;  // of all pairs of a page and a length: each page and each length is met

  std::string with_noise(std::size_t page, std::size_t length) {
    std::mt19937 dice(static_cast<unsigned>(page * kPageBytes + length));
    std::string noisy = bytes_;
    const std::size_t at = (page - 1) * kPageBytes + dice() % (kPageBytes - length + 1);
    for (std::size_t i = 0; i < length; ++i) noisy[at + i] = static_cast<char>(dice());
    return noisy;
  }

  // Its entries are those that were written.
  static void expect_genuine(Store& store, const std::string& id, std::size_t entries) {
    const auto read = store.entries(all_of(id));
    ASSERT_TRUE(read) << id << ": " << read.error().message;
    EXPECT_EQ(read->entries.size(), entries) << id;
    for (const Entry& entry : read->entries) {
      EXPECT_FALSE(entry.damage) << id << " " << entry.seq;
      EXPECT_EQ(entry.text, message(static_cast<int>(entry.number)).text) << id;
    }
  }

  // Those that are whole. Of every other its damage is told.
  static std::set<std::string> expect_each_is_whole_or_named(Store& store) {
    std::set<std::string> whole;
    for (int i = 0; i < kHealthy - 1; ++i) {
      const std::string id = id_of(i);
      const auto verified = store.verify(id);
      if (verified && verified->ok) {
        whole.insert(id);
      } else if (verified) {
        EXPECT_FALSE(verified->problems.empty()) << id;
      } else {
        EXPECT_EQ(verified.error().kind, ErrorKind::corrupt) << id << ": " << verified.error().message;
      }
    }
    return whole;
  }

  static void expect_whole_ones_go_on(Store& store, const std::set<std::string>& whole) {
    const auto page = store.list(everything());
    ASSERT_TRUE(page) << page.error().message;
    std::set<std::string> listed;
    for (const SessionRecord& record : page->items)
      if (!record.damage) listed.insert(record.id);
    for (const std::string& id : whole) {
      EXPECT_TRUE(listed.contains(id)) << id;
      expect_genuine(store, id, 12);
    }
    // One commit, for the time it takes. Who it is that cannot go on is asked only when somebody cannot.
    const auto together = store.write([&](Transaction& t) -> Result<void> {
      for (const std::string& id : whole) HF_CHECK(t.append(id, message(100)));
      return {};
    });
    for (const std::string& id : whole) {
      if (!together) {
        const auto appended = store.write([&](Transaction& t) { return t.append(id, message(100)); });
        EXPECT_TRUE(appended) << id << ": " << appended.error().message;
      }
      expect_genuine(store, id, 13);
    }
  }

  // Sound trees, or `integrity` says what is not.
  static void expect_rest_is_named(Store& store, const std::string& path) {
    const auto integrity = store.integrity();
    const bool said = !integrity || !integrity->problems.empty();
    auto db = must(Db::open(path, Db::Mode::read_only));
    auto rows = must(db->query("PRAGMA integrity_check(100000)"));
    while (true) {
      const auto more = rows.next();
      if (!more) EXPECT_TRUE(said) << more.error().message;
      if (!more || !*more) return;
      std::istringstream lines{std::string(rows.text(0))};
      for (std::string line; std::getline(lines, line);)
        if (line != "ok" && !line.starts_with("*** in database") && !line.ends_with("never used")) EXPECT_TRUE(said) << line;
    }
  }

  // All that are whole in the damaged file are whole in what is saved of it.
  void expect_salvage_keeps(const std::set<std::string>& whole) {
    const std::string target = folder_ / "salvaged.db";
    std::filesystem::remove(target);
    const std::string before = must(read_file(path_));
    const auto salvaged = salvage("sqlite:" + path_, target, [](std::uint64_t, std::uint64_t) {});
    ASSERT_TRUE(salvaged) << salvaged.error().message;
    EXPECT_EQ(must(read_file(path_)), before) << "the source is only read";
    OpenOptions options;
    options.read_only = true;
    auto copy = must(open_store("sqlite:" + target, options));
    for (const std::string& id : whole) expect_genuine(*copy, id, 12);
  }
};

TEST_F(SqliteNoise, P7WhoIsWholeGoesOnWhateverIsWrittenOverAPage) {
  std::size_t opened = 0, cases = 0;
  for (std::size_t each = 0; each < pages_ * std::size(kLengths); each += kStride) {
    const std::size_t page = each / std::size(kLengths) + 1, length = kLengths[each % std::size(kLengths)];
    SCOPED_TRACE("page " + std::to_string(page) + ", " + std::to_string(length) + " bytes");
    const std::string noisy = with_noise(page, length);
    ++cases;
    const auto put = [&] {
      for (const char* suffix : {"", "-wal", "-shm", ".index"}) std::filesystem::remove_all(path_ + suffix);
      must(replace_file(path_, noisy));
    };
    put();
    std::set<std::string> whole;
    {
      auto store = open_store("sqlite:" + path_);
      if (!store) {
        EXPECT_TRUE(is_vital(page)) << store.error().message;
        EXPECT_EQ(store.error().kind, ErrorKind::corrupt) << store.error().message;
        EXPECT_THAT(store.error().message, testing::HasSubstr(path_));
        EXPECT_THAT(store.error().hint, testing::AnyOf(testing::HasSubstr("store salvage"), testing::HasSubstr("backup")));
        continue;
      }
      ++opened;
      whole = expect_each_is_whole_or_named(**store);
      expect_whole_ones_go_on(**store, whole);
      expect_rest_is_named(**store, path_);
    }
    put();
    expect_salvage_keeps(whole);
  }
  EXPECT_GT(opened, cases * 9 / 10);
}

// Its secret and its name are in one page; what else there is has nothing to do with them.
TEST_F(SqliteMend, P7AStoreThatLostItsSecretSaysWhatToDoAndIsSalvaged) {
  for (const bool emptied : {false, true}) {
    SCOPED_TRACE(emptied ? "rows gone" : "page zeroed");
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + suffix);
    must(replace_file(path_, emptied ? bytes_ : with_damaged(meta_)));
    if (emptied) must(must(Db::open(path_, Db::Mode::read_write))->script("DELETE FROM meta"));
    const auto store = open_store("sqlite:" + path_);
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().kind, ErrorKind::corrupt);
    EXPECT_THAT(store.error().message, testing::HasSubstr(path_));
    EXPECT_THAT(store.error().hint,
                testing::AllOf(testing::HasSubstr("holdfast store salvage"), testing::HasSubstr("holdfast store restore")));
    const std::string target = folder_ / (emptied ? "emptied.db" : "zeroed.db");
    const auto salvaged = salvage("sqlite:" + path_, target, [](std::uint64_t, std::uint64_t) {});
    ASSERT_TRUE(salvaged) << salvaged.error().message;
    EXPECT_EQ(salvaged->sessions, kHealthy - 1);
    EXPECT_TRUE(salvaged->damaged.empty());
    EXPECT_THAT(salvaged->losses, testing::Contains(testing::HasSubstr("new secret")));
    EXPECT_THAT(salvaged->losses, testing::Contains(testing::HasSubstr("new store_id")));
    EXPECT_EQ(expect_life_goes_on(target), kHealthy - 1);
    const auto copy = must(open_store("sqlite:" + target));
    EXPECT_EQ(copy->secret().size(), must(open_store("sqlite:" + whole_))->secret().size());
    EXPECT_NE(copy->secret(), must(open_store("sqlite:" + whole_))->secret());
  }
}

}  // namespace
}  // namespace holdfast::store
