// SearXNG and Tavily (threads-and-research §10), played by servers on loopback.

#include "kinds/research/sources/remote_search.h"
#include "kinds/research/sources/test_web_server.h"

#include <gmock/gmock.h>

namespace holdfast::research {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::string_view kResults = R"json({"query":"q","results":[
  {"url":"https://Example.org:443/a#part","title":" One ","content":"first","score":2.0,
   "publishedDate":"2026-01-02","published_date":"2026-01-02","raw_content":"all of it"},
  {"url":"http://example.org/b","title":"","content":null,"score":8,"raw_content":null},
  {"url":"javascript:alert(1)","title":"evil"},
  {"title":"no address"}, 17, null]})json";

SearchAsk ask(std::string query = "how to retry?") {
  SearchAsk made;
  made.query = std::move(query);
  made.deadline = std::chrono::steady_clock::now() + 30s;
  return made;
}

std::unique_ptr<RemoteSearch> searxng(const TestWebServer& server) {
  return make_searxng(JsonObject{{"base_url", server.url("/")}}).value();
}

TEST(Searxng, S10AsksForJsonAndReadsTheResults) {
  TestWebServer server([](const auto&) { return TestWebServer::json(std::string(kResults)); });
  const auto found = searxng(server)->ask(ask("a b&c=d é"));
  ASSERT_TRUE(found) << found.error().error.message;
  EXPECT_EQ(server.seen().at(0).target, "/search?q=a%20b%26c%3Dd%20%C3%A9&format=json&pageno=1");
  ASSERT_THAT(*found, SizeIs(2));
  EXPECT_EQ((*found)[0].uri, "http://example.org/b");
  EXPECT_EQ((*found)[0].title, "http://example.org/b");
  EXPECT_EQ((*found)[0].score, 1);
  EXPECT_EQ((*found)[1].uri, "https://example.org/a");
  EXPECT_EQ((*found)[1].title, "One");
  EXPECT_EQ((*found)[1].snippet, "first");
  EXPECT_EQ((*found)[1].score, 0.25);
  EXPECT_EQ((*found)[1].published, "2026-01-02");
  EXPECT_EQ((*found)[1].type, "web");
}

TEST(Searxng, S10ResultsAreCutHereAndWithoutScoresTheOrderCounts) {
  TestWebServer server([](const auto&) {
    return TestWebServer::json(R"({"results":[{"url":"http://e/1"},{"url":"http://e/2","score":9},{"url":"http://e/3"}]})");
  });
  SearchAsk two = ask();
  two.max_results = 2;
  const auto found = searxng(server)->ask(two);
  ASSERT_THAT(found.value(), SizeIs(2));
  EXPECT_EQ(found->at(0).uri, "http://e/1");
  EXPECT_GT(found->at(0).score, found->at(1).score);
}

TEST(Searxng, S10TheModeChoosesTheCategory) {
  TestWebServer server([](const auto&) { return TestWebServer::json(R"({"results":[{"url":"http://e/1"}]})"); });
  SearchAsk academic = ask();
  academic.mode = "academic";
  EXPECT_EQ(searxng(server)->ask(academic).value().at(0).type, "academic");
  EXPECT_THAT(server.seen().at(0).target, HasSubstr("&categories=science"));
}

TEST(Searxng, S10StatusForbiddenMeansThatTheJsonFormatIsOff) {
  TestWebServer server([](const auto&) { return net::HttpResponse{403, {}, "Forbidden"}; });
  const auto found = searxng(server)->ask(ask());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, RemoteFault::Kind::final);
  EXPECT_EQ(found.error().error.kind, ErrorKind::refused);
  EXPECT_THAT(found.error().error.message, HasSubstr("JSON"));
  EXPECT_THAT(found.error().error.hint, HasSubstr("settings.yml"));
  EXPECT_FALSE(searxng(server)->health());
}

TEST(Searxng, S10FaultsAreToldApart) {
  int status = 500;
  TestWebServer server([&](const auto&) { return net::HttpResponse{status, {{"Retry-After", "7"}}, "<html>"}; });
  const auto instance = searxng(server);
  EXPECT_EQ(instance->ask(ask()).error().kind, RemoteFault::Kind::passing);
  status = 429;
  const RemoteFault limited = instance->ask(ask()).error();
  EXPECT_EQ(limited.kind, RemoteFault::Kind::rate_limited);
  EXPECT_EQ(limited.retry_after, 7s);
  status = 200;  // a proxy's page instead of the instance's
  EXPECT_EQ(instance->ask(ask()).error().kind, RemoteFault::Kind::passing);
}

TEST(Searxng, S10NobodyThereIsAPassingFault) {
  const auto nobody = make_searxng(JsonObject{{"base_url", "http://127.0.0.1:9"}}).value();
  const auto found = nobody->ask(ask());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, RemoteFault::Kind::passing);
  EXPECT_EQ(found.error().error.kind, ErrorKind::unavailable);
}

TEST(Searxng, S10DeadlineAndCancelEndTheWait) {
  TestWebServer server([](const auto&) { return TestWebServer::silence(); });
  SearchAsk hurried = ask();
  hurried.deadline = std::chrono::steady_clock::now() + 100ms;
  EXPECT_EQ(searxng(server)->ask(hurried).error().error.kind, ErrorKind::timeout);
  SearchAsk cancelled = ask();
  cancelled.cancelled = [&] { return server.seen().size() == 2; };  // once the question has arrived
  const RemoteFault fault = searxng(server)->ask(cancelled).error();
  EXPECT_EQ(fault.error.kind, ErrorKind::cancelled);
  EXPECT_EQ(fault.kind, RemoteFault::Kind::final);
}

TEST(Searxng, SettingsThatMeanNothingAreRefused) {
  for (const char* base : {"", "ftp://x", "http://", "http://u@h", "http://h?q"})
    EXPECT_EQ(make_searxng(JsonObject{{"base_url", base}}).error().kind, ErrorKind::invalid) << base;
}

TEST(Tavily, S10TheKeyIsABearerTokenOrInTheBody) {
  TestWebServer server([](const auto&) { return TestWebServer::json(std::string(kResults)); });
  JsonObject settings{{"base_url", server.url()}};
  const auto found = make_tavily(settings, "tvly-secret").value()->ask(ask());
  ASSERT_TRUE(found) << found.error().error.message;
  settings["auth"] = "body";
  ASSERT_TRUE(make_tavily(settings, "tvly-secret").value()->ask(ask()));
  const auto seen = server.seen();
  ASSERT_THAT(seen, SizeIs(2));
  EXPECT_EQ(seen[0].method + ' ' + seen[0].target, "POST /search");
  EXPECT_EQ(*seen[0].header("authorization"), "Bearer tvly-secret");
  EXPECT_EQ(
      parse_json(seen[0].body).value(),
      parse_json(
          R"({"query":"how to retry?","max_results":5,"search_depth":"basic","topic":"general","include_raw_content":true})")
          .value());
  EXPECT_EQ(seen[1].header("authorization"), nullptr);
  EXPECT_EQ(parse_json(seen[1].body).value().at("api_key"), "tvly-secret");

  ASSERT_THAT(*found, SizeIs(2));
  EXPECT_EQ((*found)[0].uri, "https://example.org/a");
  EXPECT_EQ((*found)[0].content, "all of it");
  EXPECT_EQ((*found)[0].score, 1);  // theirs is at most 1; ours too
  EXPECT_EQ((*found)[0].published, "2026-01-02");
}

TEST(Tavily, S10AsksForAtMostTwentyResultsAndFourHundredCharacters) {
  TestWebServer server([](const auto&) { return TestWebServer::json(R"({"results":[]})"); });
  SearchAsk much = ask(std::string(5000, 'q'));
  much.max_results = 50;
  ASSERT_TRUE(make_tavily(JsonObject{{"base_url", server.url()}}, "k").value()->ask(much));
  const Json body = parse_json(server.seen().at(0).body).value();
  EXPECT_EQ(body.at("max_results").as_int64(), 20);
  EXPECT_LE(body.at("query").as_string().size(), 405U);
}

TEST(Tavily, S10AKeyThatIsNotAcceptedIsNeverShown) {
  TestWebServer server([](const auto& request) { return net::HttpResponse{401, {}, *request.header("authorization")}; });
  const auto found = make_tavily(JsonObject{{"base_url", server.url()}}, "tvly-secret").value()->ask(ask());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, RemoteFault::Kind::final);
  EXPECT_EQ(found.error().error.kind, ErrorKind::unauthorised);
  EXPECT_THAT(found.error().error.message + found.error().error.hint, Not(HasSubstr("secret")));
}

TEST(Tavily, S10AUsedUpPlanIsFinal) {
  TestWebServer server([](const auto&) { return TestWebServer::json("{}", 432); });
  const auto found = make_tavily(JsonObject{{"base_url", server.url()}}, "k").value()->ask(ask());
  EXPECT_EQ(found.error().kind, RemoteFault::Kind::final);
  EXPECT_EQ(found.error().error.kind, ErrorKind::refused);
}

TEST(Tavily, SettingsThatMeanNothingAreRefused) {
  for (const char* key : {"auth", "search_depth", "topic"}) {
    const auto made = make_tavily(JsonObject{{key, "nonsense"}}, "k");
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, ErrorKind::invalid);
    EXPECT_THAT(made.error().message, HasSubstr(key));
  }
}

}  // namespace
}  // namespace holdfast::research
