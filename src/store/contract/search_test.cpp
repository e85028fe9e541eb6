#include "store/contract/fixture.h"

namespace holdfast::store {
namespace {

using namespace session;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST_P(SearchContract, FindsWordsInEntriesNewestFirst) {
  create("a");
  create("b");
  append("a", "We fixed the CORS header");
  append("b", "nothing to see");
  append("b", "cors again, with foo-bar.cpp");
  EXPECT_THAT(search("cors"), ElementsAre("b:2", "a:1"));
  EXPECT_THAT(search("CORS header"), ElementsAre("a:1"));
  EXPECT_THAT(search("foo-bar.cpp"), ElementsAre("b:2"));
  EXPECT_THAT(search("\"cors header\""), ElementsAre("a:1"));
  EXPECT_THAT(search("\"header cors\""), IsEmpty());
  EXPECT_THAT(search("head"), ElementsAre("a:1"));
  EXPECT_THAT(search("absent"), IsEmpty());
  EXPECT_THAT(search("\" OR ) *"), IsEmpty());
  const SearchHit hit = must(store_->search({"header", {}, {}, false, {}, {}, "", 20, 3})).hits.front();
  EXPECT_EQ(hit.snippet, "We fixed the CORS header");
  EXPECT_EQ(hit.title, "Title of a");
  EXPECT_EQ(hit.kind, "reasoning");
  EXPECT_EQ(hit.type, "note");
}

// docs/search.md, "What to type": the same as in transcripts.
TEST_P(SearchContract, UnderstandsTheLanguageOfEverySearch) {
  create("a");
  append("a", "the retry policy of kelp_server.cpp failed with E0277: budget of 1,000.5");
  append("a", "retrying without a policy; 海藻サラダ 한국어를 สวัสดีครับ done🚀");
  EXPECT_THAT(search("retr* polic*"), ElementsAre("a:2", "a:1"));
  EXPECT_THAT(search("\"retry policy\""), ElementsAre("a:1"));
  EXPECT_THAT(search("policy -budget"), ElementsAre("a:2"));
  EXPECT_THAT(search("-budget"), ElementsAre("a:0", "a:2"));
  for (const char* text : {"kelp_server.cpp", "p_serv", "E0277", "*oli* *ailed*", "1,000", "1,000.5", "\"with e0277\""})
    EXPECT_THAT(search(text), testing::Contains("a:1")) << text;
  for (const char* text : {"海藻", "サラダ", "藻サ", "한국어", "국어", "สวัสดี", "ดีครับ", "🚀", "done🚀", "DONE"})
    EXPECT_THAT(search(text), ElementsAre("a:2")) << text;
  for (const char* text : {"藻海", "어국", "🚢", "p_serw", "*ailled*", "1.000"}) EXPECT_THAT(search(text), IsEmpty()) << text;
}

TEST_P(SearchContract, SaysWhoSpokeAndHowWellItFits) {
  create("a");
  append("a", "a needle, among so many other words that say nothing about one, and nothing else that was asked for");
  append("a", "needle needle");
  SearchQuery query;
  query.text = "needle";
  const SearchResult found = must(store_->search(query));
  ASSERT_EQ(found.hits.size(), 2U);
  EXPECT_GT(found.hits[0].score, found.hits[1].score);
  EXPECT_EQ(found.hits[1].role, search::PassageRole::assistant);
  EXPECT_EQ(found.hits[1].snippet.substr(found.hits[1].highlights.at(0).first, 6), "needle");
  query.roles = {search::PassageRole::user};
  EXPECT_THAT(search(query), IsEmpty());
  query.roles = {search::PassageRole::assistant};
  EXPECT_EQ(search(query).size(), 2U);
}

TEST_P(SearchContract, FindsTitlesDescriptionsAndTags) {
  SessionRecord r = record("a");
  r.title = "Connection pools";
  r.description = "about latency";
  r.tags = {"urgent"};
  create(r);
  for (const char* text : {"pools", "latency", "URGENT"}) EXPECT_THAT(search(text), ElementsAre("a:0")) << text;
}

TEST_P(SearchContract, LooksInEntriesOnlyWhenToldTo) {
  SessionRecord r = record("a");
  r.title = "needle";
  create(r);
  append("a", "a needle in an entry");
  SearchQuery query;
  query.text = "needle";
  EXPECT_THAT(search(query), ElementsAre("a:0", "a:1"));
  query.entries_only = true;
  EXPECT_THAT(search(query), ElementsAre("a:1"));
  query.session = "a";
  query.limit = 1;
  EXPECT_THAT(search(query), ElementsAre("a:1"));
}

TEST_P(SearchContract, P31TimesAndSessionsThatAreLeftOutAreSoBeforeTheLimit) {
  create("old");
  append("old", "needle of the first day");
  const Millis first_day = clock_->now();
  clock_->advance(60'000);
  create("new");
  for (int i = 0; i < 30; ++i) append("new", "needle " + std::to_string(i));
  for (int i = 0; i < 5; ++i) create("newer" + std::to_string(i));
  for (int i = 0; i < 5; ++i) append("newer" + std::to_string(i), "needle");
  SearchQuery query;
  query.text = "needle";
  query.limit = 2;
  query.until = first_day + 1;
  EXPECT_THAT(search(query), ElementsAre("old:1"));
  EXPECT_FALSE(must(store_->search(query)).more);
  query.until = first_day;
  EXPECT_THAT(search(query), IsEmpty());
  query.until.reset();
  query.since = first_day + 1;
  EXPECT_THAT(search(query), ElementsAre("newer4:1", "newer3:1"));
  EXPECT_TRUE(must(store_->search(query)).more);
  query.since.reset();
  query.limit = 3;
  query.not_session = "newer4";
  EXPECT_THAT(search(query), ElementsAre("newer3:1", "newer2:1", "newer1:1"));

  query = {};
  query.text = "title";
  query.limit = 1;
  query.until = first_day + 1;
  EXPECT_THAT(search(query), ElementsAre("old:0")) << "records, too";
}

TEST_P(SearchContract, KeepsToTheFilters) {
  SessionRecord a = record("a", "thread");
  a.root_uri = "file:///r";
  a.principal = "ann";
  create(a);
  create("b");
  SessionRecord c = record("c");
  c.visibility = Visibility::deleted;
  create(c);
  for (const char* id : {"a", "b", "c"}) append(id, "needle");
  EXPECT_THAT(search("needle"), ElementsAre("b:1", "a:1"));
  SearchQuery query;
  query.text = "needle";
  query.kinds = {"thread"};
  EXPECT_THAT(search(query), ElementsAre("a:1"));
  query.kinds.clear();
  query.roots = {"file:///r"};
  EXPECT_THAT(search(query), ElementsAre("a:1"));
  query.rootless = true;
  EXPECT_THAT(search(query), UnorderedElementsAre("a:1", "b:1"));
  query = {};
  query.text = "needle";
  query.principal = "ann";
  EXPECT_THAT(search(query), ElementsAre("a:1"));
  query.principal.reset();
  query.session = "b";
  EXPECT_THAT(search(query), ElementsAre("b:1"));
  query.session = "c";
  EXPECT_THAT(search(query), IsEmpty());
  query.visibilities = {Visibility::deleted};
  EXPECT_THAT(search(query), ElementsAre("c:1"));
}

TEST_P(SearchContract, BoundsHitsInAllAndPerSession) {
  create("a");
  create("b");
  for (int i = 0; i < 5; ++i) append("a", "needle");
  append("b", "needle");
  SearchQuery query;
  query.text = "needle";
  EXPECT_THAT(search(query), ElementsAre("b:1", "a:5", "a:4", "a:3"));
  EXPECT_FALSE(must(store_->search(query)).more);
  query.limit = 2;
  EXPECT_THAT(search(query), ElementsAre("b:1", "a:5"));
  EXPECT_TRUE(must(store_->search(query)).more);
  query.limit = 0;
  EXPECT_EQ(kind_of_failure(store_->search(query)), ErrorKind::invalid);
}

TEST_P(SearchContract, ForgetsWhatWasRedactedOrPurged) {
  create("a");
  create("b");
  append("a", "needle one");
  append("a", "needle two");
  append("b", "needle three");
  must(store_->write([](Transaction& t) { return t.redact("a", 1); }));
  EXPECT_THAT(search("needle"), ElementsAre("b:1", "a:2"));
  EXPECT_THAT(search("redacted"), IsEmpty());
  must(store_->write([](Transaction& t) { return t.purge("b", "test"); }));
  EXPECT_THAT(search("needle"), ElementsAre("a:2"));
}

TEST_P(SearchContract, FindsTheSameWithAndWithoutAnIndex) {
  // Enough text that the index is fed in the background; every answer on the way must be complete.
  constexpr int kEntries = 300;
  const std::string filler(20'000, 'x');
  create("a");
  for (int i = 0; i < kEntries; ++i) {
    append("a", "entry" + std::to_string(i) + " " + (i % 50 == 7 ? "needle in 東京 " : "hay ") + filler);
    if (i % 60 == 59) {
      SearchQuery query;
      query.text = "needle";
      query.per_session = 100;
      EXPECT_EQ(search(query).size(), static_cast<std::size_t>((i - 7) / 50 + 1)) << i;
    }
  }
  auto other = open();
  SearchQuery query;
  query.text = "京";
  query.per_session = 100;
  EXPECT_EQ(must(other->search(query)).hits.size(), 6u);
  EXPECT_THAT(search("entry299"), ElementsAre("a:300"));
}

}  // namespace
}  // namespace holdfast::store
