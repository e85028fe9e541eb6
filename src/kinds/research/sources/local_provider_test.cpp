// The provider without a network (threads-and-research §10, `local`), and the making of all of them.

#include "base/files/test_folder.h"
#include "kinds/research/sources/providers.h"
#include "session/limits.h"
#include "store/open.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

namespace holdfast::research {
namespace {

using session::Transaction;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Local : public ::testing::Test {
 protected:
  void add_session(const std::string& id, std::string_view kind, const std::vector<std::pair<std::string, std::string>>& entries,
                   const std::string& principal = "local", const std::string& root = {}) {
    const auto done = store_->write([&](Transaction& t) -> Result<bool> {
      session::SessionRecord record;
      record.id = id;
      record.kind = kind;
      record.title = "About " + id;
      record.status = "active";
      record.principal = principal;
      record.root_uri = root;
      HF_CHECK(t.create(record));
      std::int64_t number = 0;
      for (const auto& [type, text] : entries) {
        session::NewEntry entry;
        entry.type = type;
        entry.text = text;
        if (type == "message") entry.number = ++number;
        HF_CHECK(t.append(id, entry));
      }
      return true;
    });
    ASSERT_TRUE(done) << done.error().message;
  }
  void write(const std::string& path, std::string_view text) { std::ofstream(docs_ / path) << text; }

  std::unique_ptr<SearchProvider> provider(bool sessions = true) {
    ProviderSettings settings;
    settings.corpus = {{"papers", docs_.path(), {}}};
    settings.sessions = sessions;
    settings.cache_folder = data_ / "cache";
    return std::move(make_providers(*store_, settings).value().providers.at(0));
  }
  std::vector<Found> search(std::string query, const std::function<void(SearchAsk&)>& change = {}) {
    SearchAsk ask;
    ask.query = std::move(query);
    if (change) change(ask);
    return provider()->search(ask).value();
  }
  static std::vector<std::string> uris(const std::vector<Found>& found) {
    std::vector<std::string> made;
    for (const Found& each : found) made.push_back(each.uri);
    return made;
  }

  TestFolder docs_, data_;
  std::unique_ptr<session::Store> store_ = store::open_store("sqlite:" + (data_ / "store.db")).value();
};

TEST_F(Local, S10DocumentsAndSessionsInOneList) {
  write("retries.md", "# Retries\n\nWe decided to retry three times.\n");
  add_session("thread-aaaaaaaa", "thread", {{"message", "How often do we retry?"}, {"message", "Three times, with jitter."}});
  const auto found = search("how often do we retry with jitter?");
  ASSERT_THAT(found, SizeIs(3));
  for (const Found& each : found) {
    EXPECT_GT(each.score, 0);
    EXPECT_LE(each.score, 1);
    EXPECT_FALSE(each.title.empty());
    EXPECT_FALSE(each.content.empty());
    EXPECT_FALSE(each.snippet.empty());
  }
  EXPECT_THAT(found, ::testing::Contains(AllOf(Field(&Found::uri, "corpus://papers/retries.md#L1-L3"),
                                               Field(&Found::type, "document"), Field(&Found::locator, "L1-L3"))));
  EXPECT_THAT(found, ::testing::Contains(AllOf(Field(&Found::uri, "holdfast://sessions/thread-aaaaaaaa#2"),
                                               Field(&Found::type, "transcript"), Field(&Found::locator, "message 2"),
                                               Field(&Found::content, "Three times, with jitter."))));
}

TEST_F(Local, S10WhatWasSaidInTranscriptsIsFoundBesideTheStore) {
  add_session("thread-aaaaaaaa", "thread", {{"message", "the walrus sleeps"}});
  // As the program fills it: what holds all of the words.
  const std::vector<PastText> said = {{"0a", "About Redis", "file:///p", 7, 1000, "We took no Redis: another narwhal walrus"},
                                      {"0b", "", "", 9, 2000, "a narwhal alone"},
                                      {"0c", "A clone of 0b", "", 9, 2000, "a narwhal alone"},
                                      {"0d", "The one that asks", "", 1, 3000, "narwhal here"}};
  std::vector<std::string> asked;
  const PastTranscripts transcripts = [&](const SearchAsk& ask, const std::string& words) -> Result<std::vector<PastText>> {
    asked.push_back(words);
    std::vector<PastText> texts;
    for (const PastText& each : said)
      if (ask.principal == "local" && each.text.contains(words.substr(0, words.find(' ')))) texts.push_back(each);
    return texts;
  };
  const auto provider = make_local_provider(nullptr, store_.get(), transcripts);
  SearchAsk ask;
  ask.query = "narwhal walrus";
  ask.exclude_session = "0d";
  const auto found = provider->search(ask).value();
  ASSERT_THAT(uris(found), ::testing::UnorderedElementsAre("holdfast://sessions/0a#7", "holdfast://sessions/0b#9",
                                                           "holdfast://sessions/thread-aaaaaaaa#1"));
  EXPECT_EQ(found[0].uri, "holdfast://sessions/0a#7") << "it has both words";
  EXPECT_EQ(found[0].title, "About Redis (transcript 0a, line 7)");
  EXPECT_EQ(found[0].content, said[0].text);
  EXPECT_THAT(asked, ElementsAre("narwhal", "walrus", "narwhal walrus "));
  ask.principal = "ann";
  EXPECT_THAT(provider->search(ask).value(), IsEmpty());
}

TEST_F(Local, S10SessionsNeedNotHoldEveryWord) {
  add_session("thread-aaaaaaaa", "thread", {{"message", "the walrus sleeps"}});
  add_session("thread-bbbbbbbb", "thread", {{"message", "a walrus and a narwhal"}});
  EXPECT_THAT(uris(search("narwhal walrus unicorn")),
              ElementsAre("holdfast://sessions/thread-bbbbbbbb#1", "holdfast://sessions/thread-aaaaaaaa#1"));
}

TEST_F(Local, S10DeletedAndRedactedTextIsNeverReturned) {
  add_session("thread-aaaaaaaa", "thread", {{"message", "walrus one"}, {"message", "walrus two"}});
  add_session("thread-bbbbbbbb", "thread", {{"message", "walrus three"}});
  ASSERT_THAT(search("walrus"), SizeIs(3));
  ASSERT_TRUE(store_->write([](Transaction& t) -> Result<bool> {
    HF_CHECK(t.redact("thread-aaaaaaaa", 1));
    HF_TRY(auto record, t.get("thread-bbbbbbbb"));
    record.visibility = session::Visibility::deleted;
    HF_CHECK(t.update(record));
    return true;
  }));
  EXPECT_THAT(uris(search("walrus")), ElementsAre("holdfast://sessions/thread-aaaaaaaa#2"));
}

TEST_F(Local, S10TheSessionThatAsksAndThoseOfOthersAreExcluded) {
  add_session("thread-aaaaaaaa", "thread", {{"message", "walrus here"}});
  add_session("thread-bbbbbbbb", "thread", {{"message", "walrus before"}});
  add_session("thread-cccccccc", "thread", {{"message", "walrus of another"}}, "somebody");
  const auto mine = search("walrus", [](SearchAsk& ask) { ask.exclude_session = "thread-aaaaaaaa"; });
  EXPECT_THAT(uris(mine), ElementsAre("holdfast://sessions/thread-bbbbbbbb#1"));
  const auto theirs = search("walrus", [](SearchAsk& ask) { ask.principal = "somebody"; });
  EXPECT_THAT(uris(theirs), ElementsAre("holdfast://sessions/thread-cccccccc#1"));
}

TEST_F(Local, S10NeitherRunsNorNoticesAreSources) {
  add_session(
      "research-aaaaaaaa", "research",
      {{"plan", "walrus"}, {"source", "walrus"}, {"audit", "walrus"}, {"finding", "walrus found"}, {"report", "walrus report"}});
  add_session("thread-bbbbbbbb", "thread", {{"notice", "walrus will be archived"}});
  EXPECT_THAT(search("walrus"), IsEmpty());
}

TEST_F(Local, S10TitlesThatHaveTheWordDoNotHideTheEntries) {
  add_session("thread-aaaaaaaa", "thread", {{"message", "Quokkas smile."}});
  for (std::size_t i = 0; i <= session::kMaxSearchLimit; ++i) add_session(fmt::format("quokkas-{}", i), "thread", {});
  EXPECT_THAT(uris(search("quokkas")), ElementsAre("holdfast://sessions/thread-aaaaaaaa#1"));
}

TEST_F(Local, S10SessionsOfTheProjectComeFirst) {
  add_session("thread-aaaaaaaa", "thread", {{"message", "walrus"}}, "local", "file:///other");
  add_session("thread-bbbbbbbb", "thread", {{"message", "walrus"}}, "local", "file:///here");
  const auto found = search("walrus", [](SearchAsk& ask) { ask.root_uri = "file:///here"; });
  EXPECT_THAT(uris(found), ElementsAre("holdfast://sessions/thread-bbbbbbbb#1", "holdfast://sessions/thread-aaaaaaaa#1"));
}

TEST_F(Local, S10ALongEntryIsRepresentedByItsBestPart) {
  std::string text;
  for (int i = 0; i < 2000; ++i)
    text += "line " + std::to_string(i) + (i == 1500 ? " holds the walrus" : " holds nothing") + "\n";
  add_session("thread-aaaaaaaa", "thread", {{"message", text}});
  const auto found = search("walrus");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].content, HasSubstr("line 1500 holds the walrus"));
  EXPECT_LT(found[0].content.size(), 8192U);
  EXPECT_THAT(found[0].snippet, HasSubstr("walrus"));
}

TEST_F(Local, S10NoDocumentIsTheOnlySource) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "walrus walrus walrus number " + std::to_string(i) + "\n";
  write("long.txt", text);
  write("short.txt", "one walrus among many other words that have nothing to do with it\n");
  const auto found = search("walrus", [](SearchAsk& ask) { ask.max_results = 10; });
  EXPECT_EQ(std::ranges::count_if(found, [](const Found& each) { return each.uri.find("long.txt") != std::string::npos; }), 3);
  EXPECT_THAT(found, ::testing::Contains(Field(&Found::uri, HasSubstr("short.txt"))));
}

TEST_F(Local, S10TheSameQuestionGetsTheSameAnswerAndNewDocumentsAreSeen) {
  for (int i = 0; i < 5; ++i) write("f" + std::to_string(i) + ".txt", "walrus\n");
  const auto local = provider();
  SearchAsk ask;
  ask.query = "walrus";
  ask.max_results = 50;
  const auto first = uris(local->search(ask).value());
  EXPECT_THAT(first, SizeIs(5));
  EXPECT_EQ(first, uris(local->search(ask).value()));
  write("later.txt", "walrus\n");
  EXPECT_THAT(provider()->search(ask).value(), SizeIs(6));
}

TEST_F(Local, S10GivingUpAndBeingLateAreErrors) {
  write("a.txt", "walrus\n");
  SearchAsk ask;
  ask.query = "walrus";
  ask.cancelled = [] { return true; };
  EXPECT_EQ(provider()->search(ask).error().kind, ErrorKind::cancelled);
  ask.cancelled = {};
  ask.deadline = std::chrono::steady_clock::now();
  EXPECT_EQ(provider()->search(ask).error().kind, ErrorKind::timeout);
}

TEST_F(Local, AQuestionWithoutWordsFindsNothing) {
  write("a.txt", "walrus\n");
  EXPECT_THAT(search("?! ..."), IsEmpty());
  EXPECT_THAT(search(""), IsEmpty());
}

TEST_F(Local, S10AProviderWithoutItsKeyIsSkippedWithAWarning) {
  ProviderSettings settings;
  settings.search = parse_json(R"([{"type":"local"},{"type":"searxng","base_url":"http://127.0.0.1:1"},{"type":"tavily"},
                                   {"type":"tavily","name":"second","api_key_env":"KEY","auth":"body"}])")
                        .value();
  settings.environment = [](const std::string& name) { return name == "KEY" ? std::optional<std::string>("k") : std::nullopt; };
  const auto made = make_providers(*store_, settings).value();
  std::vector<std::string> names;
  for (const auto& each : made.providers) names.emplace_back(each->name());
  EXPECT_THAT(names, ElementsAre("local", "searxng", "second"));
  EXPECT_THAT(made.warnings, ElementsAre("tavily is left out: TAVILY_API_KEY is not set"));
}

TEST_F(Local, S10AFolderThatIsGoneIsLeftOutWithAWarning) {
  write("a.txt", "walrus\n");
  ProviderSettings settings;
  settings.corpus = {{"papers", docs_.path(), {}}, {"gone", docs_ / "gone", {}}};
  const auto made = make_providers(*store_, settings).value();
  EXPECT_THAT(made.warnings, ElementsAre(HasSubstr("gone")));
  EXPECT_TRUE(made.providers.at(0)->health());
  SearchAsk ask;
  ask.query = "walrus";
  EXPECT_THAT(made.providers.at(0)->search(ask).value(), SizeIs(1));
}

TEST_F(Local, SettingsThatMeanNothingAreRefused) {
  for (const char* search :
       {"{}", "[1]", "[{}]", R"([{"type":"bing"}])", R"([{"type":"searxng"}])", R"([{"type":"tavily","auth":"x"}])",
        R"([{"type":"searxng","base_url":"http://a"},{"type":"searxng","base_url":"http://b"}])"}) {
    ProviderSettings settings;
    settings.search = parse_json(search).value();
    const auto made = make_providers(*store_, settings);
    ASSERT_FALSE(made) << search;
    EXPECT_EQ(made.error().kind, ErrorKind::invalid) << search;
  }
}

}  // namespace
}  // namespace holdfast::research
