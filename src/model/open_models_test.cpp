// The real client against a scripted server on loopback: what endpoints do right, and everything they do wrong.

#include "model/open_models.h"

#include "model/test_endpoint.h"

#include <gmock/gmock.h>

#include <atomic>
#include <future>

namespace holdfast::model {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Not;
using Server = TestEndpoint;

Endpoint endpoint(const std::string& base_url, std::string name = "local") {
  Endpoint made;
  made.name = std::move(name);
  made.base_url = base_url;
  made.model = "asked-1";
  made.timeout_s = 20;
  return made;
}

Ask chat_question(std::string text = "What is a lease?") {
  Ask ask;
  ask.purpose = "chat";
  ask.messages = {{"system", "Be brief."}, {"user", std::move(text)}};
  return ask;
}

// Pauses that take no time, but are remembered.
struct OpenModelsTest : testing::Test {
  ModelOptions options() {
    ModelOptions made;
    made.environment = [this](const std::string& name) -> std::optional<std::string> {
      const auto found = environment.find(name);
      return found == environment.end() ? std::nullopt : std::optional(found->second);
    };
    made.sleep = [this](std::chrono::milliseconds time) { slept += time; };
    return made;
  }
  std::unique_ptr<Models> models(std::vector<Endpoint> endpoints) { return make_models(std::move(endpoints), options()); }

  std::map<std::string, std::string> environment;
  std::chrono::milliseconds slept{0};
};

TEST_F(OpenModelsTest, P10_AStreamIsOneAnswerWithItsUsage) {
  Server server({Server::stream({"A lease ", "ends ", "by itself."})});
  Ask ask = chat_question();
  ask.temperature = 0.25;
  ask.max_tokens = 99;
  std::string streamed;
  ask.on_text = [&](std::string_view piece) { streamed += piece; };
  const auto reply = models({endpoint(server.base_url())})->complete(ask);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->content, "A lease ends by itself.");
  EXPECT_EQ(streamed, reply->content);
  EXPECT_EQ(reply->provider, "local");
  EXPECT_EQ(reply->model, "stream-1");
  EXPECT_EQ(reply->finish_reason, "stop");
  EXPECT_EQ(reply->tokens.in, 11);
  EXPECT_EQ(reply->tokens.out, 5);
  EXPECT_FALSE(reply->tokens.estimated);
  EXPECT_EQ(reply->tries, 1);

  const net::HttpRequest sent = server.seen().at(0);
  EXPECT_EQ(sent.method, "POST");
  EXPECT_EQ(sent.path, "/v1/chat/completions");
  EXPECT_EQ(sent.header("authorization"), nullptr);
  EXPECT_EQ(server.body(0), parse_json(R"({"messages":[{"role":"system","content":"Be brief."},
    {"role":"user","content":"What is a lease?"}],"stream":true,"model":"asked-1","stream_options":{"include_usage":true},
    "max_tokens":99,"temperature":0.25})")
                                .value());
}

TEST_F(OpenModelsTest, P10_AServerThatDoesNotStreamIsUnderstood) {
  Server server({Server::plain("All at once.")});
  const auto reply = models({endpoint(server.base_url())})->complete(chat_question());
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->content, "All at once.");
  EXPECT_EQ(reply->model, "plain-1");
  EXPECT_EQ(reply->tokens.in, 7);
}

TEST_F(OpenModelsTest, P10_MissingUsageIsEstimated) {
  Server server({Server::plain("twelve chars", "null")});
  const auto reply = models({endpoint(server.base_url())})->complete(chat_question("12345678"));
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_TRUE(reply->tokens.estimated);
  EXPECT_EQ(reply->tokens.out, 3);             // ceil(12 / 4)
  EXPECT_EQ(reply->tokens.in, 4 + 3 + 4 + 2);  // ceil(9 / 4) and 8 / 4, and what a template puts around each message
}

TEST_F(OpenModelsTest, ACutStreamIsNoAnswerAndIsAskedAgain) {
  Server server({Server::events({Server::delta("half an ")}, false), Server::stream({"whole"})});
  Ask ask = chat_question();
  std::string streamed;
  ask.on_text = [&](std::string_view piece) { streamed += piece; };
  ask.on_restart = [&] { streamed.clear(); };
  const auto reply = models({endpoint(server.base_url())})->complete(ask);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->content, "whole");
  EXPECT_EQ(streamed, "whole");
  EXPECT_EQ(reply->tries, 2);
}

TEST_F(OpenModelsTest, AStreamThatEndsProperlyButTooEarlyIsCutToo) {
  Server server({Server::events({Server::delta("half an ")}), Server::stream({"whole"})});
  const auto reply = models({endpoint(server.base_url())})->complete(chat_question());
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->content, "whole");
}

TEST_F(OpenModelsTest, AConnectionThatBreaksBehindTheLastWordTakesNothingAway) {
  Server server({Server::events({Server::delta("whole"), Server::finish("length")}, false)});
  const auto reply = models({endpoint(server.base_url())})->complete(chat_question());
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->content, "whole");
  EXPECT_EQ(reply->finish_reason, "length");
  EXPECT_TRUE(reply->tokens.estimated);
  EXPECT_EQ(server.seen().size(), 1U);
}

TEST_F(OpenModelsTest, FaultsThatMayPassAreRetriedThreeTimes) {
  for (const auto& fault : {Server::status(500), Server::status(503, R"({"error":{"message":"Loading model"}})"),
                            Server::status(408), Server::status(200, "not json"), Server::status(200, "{\"choices\":[]}"),
                            Server::status(200, ""), Server::status(200, R"({"error":{"message":"slot unavailable"}})"),
                            Server::events({"{broken"}), Server::events({R"({"error":"out of memory"})"}), Server::plain("")}) {
    Server server({fault, fault, fault, Server::stream({"at last"})});
    const auto reply = models({endpoint(server.base_url())})->complete(chat_question());
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->content, "at last");
    EXPECT_EQ(reply->tries, 4);

    Server broken({fault});
    const auto failed = models({endpoint(broken.base_url())})->complete(chat_question());
    ASSERT_FALSE(failed);
    EXPECT_THAT(failed.error().code, testing::AnyOf("PROVIDER_ERROR", "PROVIDER_TIMEOUT"));
    EXPECT_THAT(failed.error().message, HasSubstr("local: "));
    EXPECT_EQ(broken.seen().size(), 4U);
  }
}

TEST_F(OpenModelsTest, PausesGrowAndAreJittered) {
  Server server({Server::status(500)});
  ASSERT_FALSE(models({endpoint(server.base_url())})->complete(chat_question()));
  EXPECT_THAT(slept, AllOf(Ge(6500ms), Le(13000ms)));  // each of 1, 3 and 9 s shortened by up to half
}

TEST_F(OpenModelsTest, NobodyListeningIsRetriedAndThenAnError) {
  std::string gone;
  {
    Server server({Server::status(500)});
    gone = server.base_url();
  }
  const auto failed = models({endpoint(gone)})->complete(chat_question());
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(failed.error().code, "PROVIDER_ERROR");
  EXPECT_GT(slept, 0ms);
}

TEST_F(OpenModelsTest, WhetherAnybodyIsThereIsLookedAtAnew) {
  std::string gone;
  {
    Server server({Server::status(500)});
    gone = server.base_url();
  }
  EXPECT_EQ(models({endpoint(gone)})->reachable(chat_question()).error().kind, ErrorKind::unavailable);
  EXPECT_EQ(models({})->reachable(chat_question()).error().code, "NO_LLM_PROVIDER");
  for (const int status : {200, 404, 501}) {
    Server there({Server::status(status)});
    EXPECT_TRUE(models({endpoint(gone, "first"), endpoint(there.base_url(), "second")})->reachable(chat_question())) << status;
  }
  Server shut({Server::status(401)}), broken({Server::status(502)});
  EXPECT_EQ(models({endpoint(shut.base_url())})->reachable(chat_question()).error().kind, ErrorKind::unauthorised);
  EXPECT_EQ(models({endpoint(broken.base_url())})->reachable(chat_question()).error().kind, ErrorKind::unavailable);
}

TEST_F(OpenModelsTest, RetryAfterInSecondsIsHonoured) {
  Server server({Server::status(429, R"({"error":{"message":"slow down"}})", {{"Retry-After", "17"}}), Server::stream({"ok"})});
  const auto reply = models({endpoint(server.base_url())})->complete(chat_question());
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(slept, 17s);
}

TEST_F(OpenModelsTest, RetryAfterBeyondAMinuteMeansTheNextEndpoint) {
  Server busy({Server::status(429, "{}", {{"Retry-After", "61"}})}), idle({Server::stream({"from the other"})});
  const auto reply = models({endpoint(busy.base_url(), "busy"), endpoint(idle.base_url(), "idle")})->complete(chat_question());
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->provider, "idle");
  EXPECT_EQ(reply->tries, 2);
  EXPECT_EQ(slept, 0s);
}

TEST_F(OpenModelsTest, RateLimitsThatStayAreRateLimited) {
  Server server({Server::status(429, R"({"error":{"message":"slow down"}})", {{"Retry-After", "0"}})});
  const auto failed = models({endpoint(server.base_url())})->complete(chat_question());
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, "RATE_LIMITED");
  EXPECT_EQ(server.seen().size(), 4U);
}

TEST_F(OpenModelsTest, AnEmptyPurseIsNoMatterOfPatience) {
  Server server({Server::status(429, R"({"error":{"message":"no money","code":"insufficient_quota"}})")});
  const auto failed = models({endpoint(server.base_url())})->complete(chat_question());
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, "RATE_LIMITED");
  EXPECT_EQ(server.seen().size(), 1U);
}

TEST_F(OpenModelsTest, RefusalsAreNotRepeatedButTheNextEndpointIsAsked) {
  for (const int status : {301, 400, 401, 403, 404}) {
    Server refusing({Server::status(status, R"({"error":{"message":"no"}})")}), other({Server::stream({"yes"})});
    const auto reply = models({endpoint(refusing.base_url(), "a"), endpoint(other.base_url(), "b")})->complete(chat_question());
    ASSERT_TRUE(reply) << status << reply.error().message;
    EXPECT_EQ(reply->provider, "b");
    EXPECT_EQ(refusing.seen().size(), 1U);

    const auto failed = models({endpoint(refusing.base_url(), "a")})->complete(chat_question());
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind, ErrorKind::invalid);
    EXPECT_EQ(failed.error().code, "PROVIDER_ERROR");
  }
}

TEST_F(OpenModelsTest, AnErrorOfSeveralEndpointsNamesAllOfThem) {
  Server a({Server::status(404, R"({"error":{"message":"no such model"}})")}), b({Server::status(401)});
  const auto failed = models({endpoint(a.base_url(), "alpha"), endpoint(b.base_url(), "beta")})->complete(chat_question());
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, AllOf(HasSubstr("alpha: HTTP 404: no such model"), HasSubstr("beta: HTTP 401")));
}

TEST_F(OpenModelsTest, AContextThatIsTooLargeEndsTheAskAtOnce) {
  for (
      const auto& overflow :
      {Server::status(
           400,
           R"({"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}})"),
       Server::status(
           400,
           R"({"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error"}})"),
       Server::status(
           400,
           R"({"error":"Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough: context length exceeded"})"),
       Server::status(413, R"({"error":"input length exceeds maximum context length"})"),
       Server::events(
           {R"({"error":{"message":"The number of tokens to keep from the initial prompt is greater than the context length."}})"})}) {
    Server server({overflow}), other({Server::stream({"never asked"})});
    const auto failed = models({endpoint(server.base_url(), "a"), endpoint(other.base_url(), "b")})->complete(chat_question());
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, "CONTEXT_TOO_LARGE");
    EXPECT_EQ(failed.error().kind, ErrorKind::too_large);
    EXPECT_EQ(server.seen().size(), 1U);
    EXPECT_THAT(other.seen(), IsEmpty());
  }
}

TEST_F(OpenModelsTest, KeysComeFromTheEnvironmentAtEveryCallAndAreShownNowhere) {
  Server server(
      {Server::stream({"ok"}), Server::status(401, R"({"error":{"message":"Incorrect API key provided: sk-second-5678"}})")});
  Endpoint paid = endpoint(server.base_url());
  paid.api_key_env = "TEST_KEY";
  const auto asked = models({paid});
  const auto none = asked->complete(chat_question());
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("TEST_KEY"));
  EXPECT_THAT(server.seen(), IsEmpty());

  environment["TEST_KEY"] = "sk-first-1234";
  ASSERT_TRUE(asked->complete(chat_question()));
  environment["TEST_KEY"] = "sk-second-5678";
  const auto refused = asked->complete(chat_question());
  ASSERT_FALSE(refused);
  EXPECT_EQ(*server.seen().at(0).header("authorization"), "Bearer sk-first-1234");
  EXPECT_EQ(*server.seen().at(1).header("authorization"), "Bearer sk-second-5678");
  EXPECT_THAT(refused.error().message + refused.error().hint, AllOf(HasSubstr("[key]"), Not(HasSubstr("sk-second"))));
}

TEST_F(OpenModelsTest, AnAnswerThatNeverComesIsATimeout) {
  Server silent({[&](const Server::Exchange& exchange) { silent.silence()(exchange); }});
  Ask ask = chat_question();
  ask.timeout = 30ms;
  const auto failed = models({endpoint(silent.base_url())})->complete(ask);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, "PROVIDER_TIMEOUT");
  EXPECT_EQ(failed.error().kind, ErrorKind::timeout);
  EXPECT_EQ(silent.seen().size(), 4U);
}

TEST_F(OpenModelsTest, CancellingEndsAnAskThatWaitsForAnAnswer) {
  Server silent({[&](const Server::Exchange& exchange) { silent.silence()(exchange); }});
  std::atomic<bool> stop = false;
  Ask ask = chat_question();
  ask.cancelled = [&] { return stop.load(); };
  const auto asked = models({endpoint(silent.base_url())});
  auto answer = std::async(std::launch::async, [&] { return asked->complete(ask); });
  silent.wait_for_requests(1);
  stop = true;
  const auto before = std::chrono::steady_clock::now();
  const auto reply = answer.get();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::cancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);  // far below the twenty of the endpoint; usually 50 ms
  EXPECT_EQ(silent.seen().size(), 1U);
}

TEST_F(OpenModelsTest, CancellingEndsAPause) {
  Server server({Server::status(503)});
  Ask ask = chat_question();
  ask.cancelled = [&] { return slept > 0ms; };
  const auto reply = models({endpoint(server.base_url())})->complete(ask);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::cancelled);
  EXPECT_LE(slept, 50ms);
}

TEST_F(OpenModelsTest, AnAnswerWithoutEndIsStopped) {
  std::atomic<int> written = 0;
  Server server({[&](const Server::Exchange& exchange) {
    exchange->start_stream(200, {{"Content-Type", "text/event-stream"}});
    const std::string megabyte = Server::delta(std::string(1 << 20, 'x'));
    for (int i = 0; i < 6 && !exchange->gone(); ++i, ++written) exchange->write("data: " + megabyte + "\n\n");
    exchange->end();
  }});
  const auto failed = models({endpoint(server.base_url())})->complete(chat_question());
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().code, "PROVIDER_ERROR");
  EXPECT_EQ(server.seen().size(), 1U) << "the same prompt would grow as long again";
}

TEST_F(OpenModelsTest, AServerThatWantsTheOtherNameForALimitGetsIt) {
  Server server({Server::status(
                     400, R"({"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}})"),
                 Server::status(400, R"({"error":{"message":"unknown field stream_options"}})"), Server::stream({"ok"})});
  const auto asked = models({endpoint(server.base_url())});
  ASSERT_TRUE(asked->complete(chat_question()));
  ASSERT_TRUE(asked->complete(chat_question()));
  ASSERT_EQ(server.seen().size(), 4U) << "learned once";
  EXPECT_TRUE(server.body(3).as_object().contains("max_completion_tokens"));
  EXPECT_FALSE(server.body(3).as_object().contains("max_tokens"));
  EXPECT_FALSE(server.body(3).as_object().contains("stream_options"));
}

TEST_F(OpenModelsTest, WithoutEndpointsThereIsNoProvider) {
  const auto none = models({});
  EXPECT_THAT(none->providers("chat"), IsEmpty());
  EXPECT_EQ(none->context_window(chat_question()), 0);
  const auto failed = none->complete(chat_question());
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, "NO_LLM_PROVIDER");
}

TEST_F(OpenModelsTest, AProviderIsAskedByName) {
  Server a({Server::stream({"from a"})}), b({Server::stream({"from b"})});
  const auto both = models({endpoint(a.base_url(), "a"), endpoint(b.base_url(), "b")});
  Ask ask = chat_question();
  ask.provider = "b";
  EXPECT_EQ(both->complete(ask).value().content, "from b");
  ask.provider = "c";
  const auto failed = both->complete(ask);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, "NO_LLM_PROVIDER");
  EXPECT_THAT(failed.error().hint, HasSubstr("a, b"));
}

TEST_F(OpenModelsTest, APurposeMayHaveAnOrderOfItsOwn) {
  std::vector<Endpoint> endpoints = {endpoint("http://127.0.0.1:9/v1", "a"), endpoint("http://127.0.0.1:9/v1", "b")};
  endpoints[1].context_window = 32'000;
  ModelOptions chosen = options();
  chosen.order = read_order(parse_json(R"({"synthesis":["b","a"],"planning":["b"]})").value(), endpoints).value();
  const auto both = make_models(endpoints, chosen);
  EXPECT_THAT(both->providers("chat"), ElementsAre("a", "b"));
  EXPECT_THAT(both->providers("synthesis"), ElementsAre("b", "a"));
  EXPECT_THAT(both->providers("planning"), ElementsAre("b"));
  Ask ask = chat_question();
  ask.purpose = "synthesis";
  EXPECT_EQ(both->context_window(ask), 32'000);

  for (const char* wrong : {R"({"singing":["a"]})", R"({"chat":["nobody"]})", R"({"chat":"a"})", R"([])", R"({"chat":[1]})"}) {
    const auto refused = read_order(parse_json(wrong).value(), endpoints);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().kind, ErrorKind::invalid);
  }
}

TEST_F(OpenModelsTest, ManyThreadsMayAskAtOnce) {
  Server server({Server::stream({"ok"})});
  const auto asked = models({endpoint(server.base_url())});
  std::vector<std::future<bool>> answers;
  for (int i = 0; i < 8; ++i)
    answers.push_back(std::async(std::launch::async, [&] { return asked->complete(chat_question()).value().content == "ok"; }));
  for (auto& answer : answers) EXPECT_TRUE(answer.get());
  EXPECT_EQ(server.seen().size(), 8U);
}

}  // namespace
}  // namespace holdfast::model
