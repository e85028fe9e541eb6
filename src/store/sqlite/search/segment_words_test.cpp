#include "store/sqlite/search/segment_words.h"

#include "base/files/test_folder.h"
#include "search/words/words.h"
#include "store/contract/fixture.h"

#include <fmt/format.h>

namespace holdfast::store {
namespace {

class SegmentWords : public testing::Test {
 protected:
  void add(const std::string& text) {
    must(db_->run("INSERT INTO words_1(rowid, words) VALUES(?, ?)", ++number_, search::spaced_words(text)));
  }
  std::string filter() {
    must(db_->run("COMMIT"));
    return must(make_filter(*db_, "words_1", stop_));
  }
  void SetUp() override {
    must(db_->script("CREATE VIRTUAL TABLE words_1 USING fts5(words, content='', columnsize=0, tokenize='ascii')"));
    must(db_->run("BEGIN"));
  }

  TestFolder folder_;
  std::unique_ptr<Db> db_ = must(Db::open(folder_ / "index.db", Db::Mode::create));
  std::atomic<bool> stop_ = false;
  std::int64_t number_ = 0;
};

std::vector<search::WordTerm> whole(const std::string& words) {
  return {{" " + words + " ", false}};
}
std::vector<search::WordTerm> beginning(const std::string& words) {
  return {{" " + words, true}};
}

TEST_F(SegmentWords, NeverDenyAWordOrItsBeginning) {
  for (int i = 0; i < 2000; ++i) add(fmt::format("number{} Straße{} 東京 foo-bar.cpp averyveryverylongword{}", i, i % 7, i * 31));
  const std::string all = filter();
  for (int i = 0; i < 2000; ++i) {
    const std::string word = fmt::format("averyveryverylongword{}", i * 31);
    for (std::size_t size = 3; size <= word.size(); ++size) ASSERT_TRUE(may_match(all, beginning(word.substr(0, size)))) << i;
    ASSERT_TRUE(may_match(all, whole(word)));
    ASSERT_TRUE(may_match(all, beginning(fmt::format("number{} strasse{}", i, i % 7)))) << i;
  }
  for (const char* text : {"foo-bar", "foo-bar.cpp", "\"bar.cpp\"", "京", "東京", "STRASSE6", "straß", "*bar.cp*", "-hay foo"}) {
    EXPECT_TRUE(may_match(all, search::TextSearch(text, true, true).terms())) << text;
  }
}

TEST_F(SegmentWords, DenyMostOfWhatIsNotThere) {
  for (int i = 0; i < 2000; ++i) add(fmt::format("number{}", i));
  const std::string all = filter();
  int passed = 0;
  for (int i = 0; i < 1000; ++i) {
    passed += may_match(all, whole(fmt::format("number{}", 100'000 + i))) ? 1 : 0;
    passed += may_match(all, beginning(fmt::format("other{}", i))) ? 1 : 0;
    passed += may_match(all, whole(fmt::format("number7 absent{}", i))) ? 1 : 0;
  }
  EXPECT_LT(passed, 150);
}

}  // namespace
}  // namespace holdfast::store
