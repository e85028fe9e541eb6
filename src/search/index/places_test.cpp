#include "search/index/places.h"

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "search/index/open.h"
#include "search/index/test_sources.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

namespace holdfast::search {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct PlacesTest : testing::Test {
  PlacesTest() {
    for (const char* key : {"entries", "records"}) sources.contents[key].rows = true;
  }
  void add(int count, const std::string& key = "entries") {
    for (int i = 0; i < count; ++i) {
      const std::size_t row = sources.contents[key].lines.size();
      sources.add(key, fmt::format("row {} third{} many{}", row, row % 3, row % 7), static_cast<Millis>(row * 10),
                  PassageRole::assistant, {fmt::format("s{}", row % 5)});
    }
  }
  void update() { ASSERT_TRUE(index->update(sources)); }
  // The rows, "a-b" for what is not indexed.
  std::vector<std::string> find(TextQuery query, const std::string& key = "entries") {
    Places places(index->divide(sources).value(), key, query);
    std::vector<std::string> found;
    while (const auto range = places.next())
      found.push_back(range->indexed ? fmt::format("{}", range->from) : fmt::format("{}-{}", range->from, range->to));
    return found;
  }
  std::vector<std::string> find(const std::string& word) {
    TextQuery query;
    query.clauses = {{TextClause::Kind::word, word, false}};
    return find(query);
  }
  bool any_file_has(const std::string& bytes) {
    for (const auto& file : std::filesystem::directory_iterator(folder / "index"))
      if (read_file(file.path().string()).value().contains(bytes)) return true;
    return false;
  }

  TestFolder folder;
  TestSources sources;
  std::unique_ptr<TextIndex> index = open_text_index(folder / "index").value();
};

TEST_F(PlacesTest, NameEachRowThatHasTheWordAndWhatIsNotIndexed) {
  add(9);
  add(4, "records");
  EXPECT_THAT(find("third1"), ElementsAre("0-9"));
  update();
  EXPECT_THAT(find("third1"), ElementsAre("7", "4", "1"));
  EXPECT_THAT(find("absent"), IsEmpty());
  add(2);
  EXPECT_THAT(find("third1"), ElementsAre("9-11", "7", "4", "1"));
  TextQuery query;
  EXPECT_THAT(find(query, "records"), ElementsAre("3", "2", "1", "0"));
  EXPECT_THAT(find(query, "others"), IsEmpty());
  query.since = 20;
  query.until = 50;
  EXPECT_THAT(find(query), ElementsAre("9-11", "4", "3", "2"));
  query.roles = {PassageRole::user};
  EXPECT_THAT(find(query), ElementsAre("9-11"));
}

TEST_F(PlacesTest, FallAlsoWhenSegmentsWereMergedOutOfOrder) {
  std::vector<std::string> expected;
  for (int round = 0; round < 20; ++round) {
    add(round == 3 || round == 9 ? 200 : 5);
    sources.add("entries", "needle", 1, PassageRole::assistant, {"s1"});
    expected.insert(expected.begin(), fmt::format("{}", sources.contents["entries"].lines.size() - 1));
    update();
    ASSERT_EQ(find("needle"), expected) << round;
    if (round % 4 == 2) ASSERT_TRUE(index->forget({{"s0"}, [](std::uint64_t row) { return row % 2 == 0; }}, {}));
  }
}

TEST_F(PlacesTest, WhatIsErasedLeavesAndTheRestStaysIndexed) {
  add(10);
  sources.add("entries", "sesame", 1, PassageRole::assistant, {"s3"});
  sources.add("entries", "stays", 1, PassageRole::assistant, {"s3"});
  update();
  EXPECT_TRUE(any_file_has("sesame"));
  ASSERT_TRUE(index->forget({{"s3"}, [](std::uint64_t row) { return row != 10; }}, {}));
  EXPECT_FALSE(any_file_has("sesame"));
  EXPECT_THAT(find("stays"), ElementsAre("11"));
  EXPECT_THAT(find("third2"), ElementsAre("8", "5", "2"));
  ASSERT_TRUE(index->forget({{"s3"}, [](std::uint64_t) { return false; }}, {}));
  EXPECT_THAT(find("stays"), IsEmpty());
  EXPECT_THAT(find("third2"), ElementsAre("5", "2"));
}

TEST_F(PlacesTest, DamageCostsTheIndexAndNoErasure) {
  add(300);
  sources.add("entries", "sesame", 1, PassageRole::assistant, {"s3"});
  update();
  std::string path;
  for (const auto& file : std::filesystem::directory_iterator(folder / "index"))
    if (file.path().extension() == ".segment") path = file.path().string();
  const std::string bytes = read_file(path).value();
  ASSERT_TRUE(replace_file(path, bytes.substr(0, bytes.size() - 100)));
  index = open_text_index(folder / "index").value();
  ASSERT_TRUE(index->forget({{"s3"}, [](std::uint64_t) { return false; }}, {}));
  EXPECT_FALSE(any_file_has("sesame"));
  update();
  EXPECT_EQ(find("third1").size(), 100U);
}

}  // namespace
}  // namespace holdfast::search
