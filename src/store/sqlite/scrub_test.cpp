#include "store/sqlite/scrub.h"

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "store/contract/fixture.h"

#include <filesystem>

namespace holdfast::store {
namespace {

using namespace session;

std::string leaf_page(std::size_t cells, std::size_t content) {
  std::string page(4096, 'x');
  page[0] = 13;
  page[3] = static_cast<char>(cells >> 8);
  page[4] = static_cast<char>(cells);
  page[5] = static_cast<char>(content >> 8);
  page[6] = static_cast<char>(content);
  return page;
}

TEST(UnusedBytes, AreBetweenThePointersAndTheCells) {
  const UnusedBytes leaf = unused_bytes(leaf_page(10, 4000), 4096, false);
  EXPECT_EQ(leaf.first, 8u + 20u);
  EXPECT_EQ(leaf.last, 4000u);
  std::string interior = leaf_page(10, 4000);
  interior[0] = 2;
  EXPECT_EQ(unused_bytes(interior, 4096, false).first, 12u + 20u);
  const UnusedBytes full = unused_bytes(leaf_page(10, 28), 4096, false);
  EXPECT_EQ(full.first, full.last);
}

TEST(UnusedBytes, OfOtherAndOfDamagedPagesAreNone) {
  std::string overflow(4096, 'x');
  overflow[0] = 0;  // the number of the next page
  for (const std::string& page :
       {overflow, std::string(4096, '\0'), leaf_page(10, 20), leaf_page(10, 4097), leaf_page(9000, 4000)}) {
    const UnusedBytes none = unused_bytes(page, 4096, false);
    EXPECT_EQ(none.first, 0u);
    EXPECT_EQ(none.last, 0u);
  }
}

class Scrubbing : public testing::Test {
 protected:
  std::unique_ptr<Store> open() { return must(open_store("sqlite:" + path_)); }
  void create(Store& store, const std::string& id, const std::string& text) {
    must(store.write([&](Transaction& t) -> Result<void> {
      SessionRecord record;
      record.id = id;
      record.kind = "thread";
      HF_CHECK(t.create(record));
      NewEntry entry;
      entry.type = "message";
      entry.text = text;
      HF_CHECK(t.append(id, entry));
      return {};
    }));
  }
  // As a process that lists for hours.
  std::unique_ptr<Db> start_reading() {
    auto reader = must(Db::open(path_, Db::Mode::read_only));
    must(reader->run("BEGIN"));
    must(reader->number("SELECT count(*) FROM entries"));
    return reader;
  }
  bool any_file_contains(const std::string& bytes) {
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder_.path())) {
      if (file.is_regular_file() && must(read_file(file.path().string())).contains(bytes)) return true;
    }
    return false;
  }
  static void purge(Store& store, std::string_view id) {
    must(store.write([&](Transaction& t) { return t.purge(id, "test"); }));
  }

  TestFolder folder_;
  std::string path_ = folder_ / "store.db";
};

TEST_F(Scrubbing, WaitsForNobodyForeverAndIsFinishedByALaterCommit) {
  auto store = open();
  create(*store, "secret", "xyzzysecretword");
  create(*store, "other", "text");
  auto reader = start_reading();
  purge(*store, "secret");
  EXPECT_EQ(kind_of_failure(store->get("secret")), ErrorKind::not_found);
  EXPECT_TRUE(any_file_contains("xyzzysecretword"));  // the reader may still look at it
  must(store->write([](Transaction& t) { return t.note_access("other"); }));
  EXPECT_TRUE(any_file_contains("xyzzysecretword"));
  must(reader->run("ROLLBACK"));
  must(store->write([](Transaction& t) { return t.note_access("other"); }));
  EXPECT_FALSE(any_file_contains("xyzzysecretword"));
  EXPECT_TRUE(must(store->integrity()).ok);
}

TEST_F(Scrubbing, IsFinishedByTheNextOpening) {
  auto store = open();
  create(*store, "secret", "xyzzysecretword");
  auto reader = start_reading();
  purge(*store, "secret");
  store.reset();
  EXPECT_TRUE(any_file_contains("xyzzysecretword"));
  reader.reset();
  EXPECT_TRUE(any_file_contains("xyzzysecretword"));  // who only reads does not fold the log
  store = open();
  EXPECT_FALSE(any_file_contains("xyzzysecretword"));
  EXPECT_TRUE(must(store->integrity()).ok);
}

// Every purge but the first looks only at the pages the log names; what they leave behind must go all the same.
TEST_F(Scrubbing, OfManyPurgesInARowLeavesNothing) {
  auto store = open();
  const auto word = [](int number) { return "xyzzy" + std::to_string(1'000'000 + number * 7919); };
  const auto id = [](int number) { return "s" + std::to_string(number * 7919 % 1000); };
  for (int i = 0; i < 60; ++i) {
    create(*store, id(i), word(i) + std::string(static_cast<std::size_t>(i * 331 % 1500), '.'));
    must(store->write([&](Transaction& t) { return t.put("session", id(i), Json(word(i) + std::string(700, '.'))); }));
  }
  for (int i = 0; i < 60; i += 2) {
    must(store->write([&](Transaction& t) -> Result<void> {
      HF_CHECK(t.erase("session", id(i)));
      return t.purge(id(i), "test");
    }));
    EXPECT_FALSE(any_file_contains(word(i))) << i;
    EXPECT_TRUE(any_file_contains(word(i + 1))) << i;
  }
  EXPECT_TRUE(must(store->integrity()).ok);
}

}  // namespace
}  // namespace holdfast::store
