// Which way a search takes, and that both find what a store in a file finds, in the same order.

#include "base/files/test_folder.h"
#include "store/contract/fixture.h"
#include "store/postgres/search/indexed_words.h"
#include "store/postgres/search/search.h"
#include "store/postgres/test_server.h"

#include <fmt/format.h>

namespace holdfast::store::postgres {
namespace {

using namespace session;
using testing::IsEmpty;
using testing::Not;

constexpr int kSessions = 400;  // of which a server that has not counted them yet takes a hundred for few

// The word of every text, of many old ones, of a quarter, of four, of one.
std::string words_of_session(int number) {
  std::string words = fmt::format("every number{}", number);
  if (number < 250) words += " oldish";
  if (number % 4 == 0) words += " quarter";
  if (number % 100 == 7) words += " seldom pair";
  return words;
}

void fill(Store& store) {
  must(store.write([](Transaction& t) -> Result<void> {
    for (int i = 0; i < kSessions; ++i) {
      SessionRecord record;
      record.id = fmt::format("s{:03}", i);
      record.kind = i % 2 == 0 ? "thread" : "reasoning";
      record.title = words_of_session(i);
      HF_CHECK(t.create(record));
      NewEntry entry;
      entry.type = "message";
      entry.text = "entry " + words_of_session(i);
      HF_CHECK(t.append(record.id, entry));
    }
    return {};
  }));
}

class SearchWayTest : public testing::Test {
 protected:
  SearchWayTest() { fill(*store_); }
  ~SearchWayTest() override {
    store_.reset();
    TestServer::instance().drop(url_);
  }

  SearchWay to_records(std::string_view text) {
    return chosen(choose_way_to_records(*word_conditions(search::TextSearch(text, true, true).terms()).all));
  }
  SearchWay to_entries(std::string_view text) {
    return chosen(choose_way_to_entries(*word_conditions(search::TextSearch(text, true, true).terms()).all));
  }

  const std::string url_ = TestServer::instance().fresh_url();
  std::unique_ptr<Store> store_ = must(open_store(url_));

 private:
  SearchWay chosen(Statement statement) {
    const auto connection = must(Connection::open({url_, {}, std::chrono::seconds(20)}));
    return chosen_way(must(connection->ask(std::move(statement))));
  }
};

TEST_F(SearchWayTest, TheIndexIsForWordsThatFewTextsHave) {
  for (const char* text : {"absent", "seldom", "number17", "\"seldom pair\"", "every number17"}) {
    EXPECT_EQ(to_records(text), SearchWay::by_index) << text;
    EXPECT_EQ(to_entries(text), SearchWay::by_index) << text;
  }
  for (const char* text : {"every", "quarter", "oldish", "num", "every quarter"}) {
    EXPECT_EQ(to_records(text), SearchWay::by_order) << text;
    EXPECT_EQ(to_entries(text), SearchWay::by_order) << text;
  }
}

TEST_F(SearchWayTest, WhatIsWorthwhileGrowsWithTheStore) {
  ASSERT_EQ(to_records("oldish"), SearchWay::by_order);
  const auto connection = must(Connection::open({TestServer::instance().url(), {}, std::chrono::seconds(20)}));
  // As if it had a million rows.
  const std::string schema(url_.substr(url_.rfind("%3D") + 3));
  must(connection->ask(
      fmt::format("UPDATE pg_class SET reltuples = 1000000 WHERE oid = '{}.session_texts'::regclass", quoted_name(schema))));
  EXPECT_EQ(to_records("oldish"), SearchWay::by_index);
  EXPECT_EQ(to_records("every"), SearchWay::by_order);
}

TEST_F(SearchWayTest, BothWaysFindWhatAStoreInAFileFinds) {
  const TestFolder folder;
  const auto file = must(open_store("sqlite:" + folder / "store.db"));
  fill(*file);
  const auto hits = [](Store& store, const SearchQuery& query) {
    const SearchResult result = must(store.search(query));
    std::vector<std::string> found;
    for (const SearchHit& hit : result.hits) found.push_back(fmt::format("{}:{} {}", hit.session, hit.seq, hit.snippet));
    if (result.more) found.emplace_back("more");
    return found;
  };
  SearchQuery query;
  for (const char* text : {"every", "oldish", "quarter", "seldom", "absent", "number7", "every number7", "oldish quarter",
                           "\"seldom pair\"", "\"pair seldom\"", "seldom absent", "quarter num", "entry oldish", "entry sel"}) {
    for (const std::size_t limit : {std::size_t{1}, std::size_t{4}, std::size_t{20}, std::size_t{200}}) {
      for (const bool entries_only : {false, true}) {
        for (const std::vector<std::string>& kinds : {std::vector<std::string>{}, std::vector<std::string>{"thread"}}) {
          query.text = text;
          query.limit = limit;
          query.entries_only = entries_only;
          query.kinds = kinds;
          EXPECT_EQ(hits(*store_, query), hits(*file, query))
              << text << ' ' << limit << ' ' << entries_only << ' ' << kinds.size();
        }
      }
    }
  }
  query.text = "every";
  query.limit = 20;
  EXPECT_THAT(hits(*store_, query), Not(IsEmpty()));
}

}  // namespace
}  // namespace holdfast::store::postgres
