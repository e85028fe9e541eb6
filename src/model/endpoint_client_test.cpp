// Tools, models and the second interface, through the real client against a scripted server on loopback.

#include "model/open_models.h"
#include "model/test_endpoint.h"

#include <gmock/gmock.h>

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
using ::testing::SizeIs;
using Server = TestEndpoint;

Ask tool_question() {
  Ask ask;
  ask.messages = {{"system", "Be brief."}, {"user", "What is in a.txt?"}};
  ask.tools = {{"read", "Reads a file.", parse_json(R"({"type":"object","properties":{"path":{"type":"string"}}})").value()},
               {"now"}};
  return ask;
}

struct EndpointClientTest : testing::Test {
  Models& open(Server& server) {
    endpoint.base_url = server.base_url();
    ModelOptions options;
    options.environment = [](const std::string&) { return std::nullopt; };
    options.sleep = [this](std::chrono::milliseconds time) { slept += time; };
    models = make_models({endpoint}, options);
    return *models;
  }

  Endpoint endpoint = [] {
    Endpoint made;
    made.name = "local";
    made.model = "asked-1";
    made.timeout_s = 20;
    return made;
  }();
  std::chrono::milliseconds slept{0};
  std::unique_ptr<Models> models;
};

// What the runner does between two rounds.
void append_round(Ask& ask, const Reply& reply, const std::string& result) {
  ask.messages.push_back(reply.message);
  for (const ToolCall& call : reply.tool_calls) ask.messages.push_back({"tool", result, call.id});
}

TEST_F(EndpointClientTest, R7_ACallGoesOutAndItsResultComesBack) {
  Server server({Server::stream_call("call-7", "read", R"({"path":"a.txt"})"), Server::stream({"It says 42."})});
  Models& asked = open(server);
  Ask ask = tool_question();
  const auto reply = asked.complete(ask);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->content, "");
  EXPECT_EQ(reply->finish_reason, "tool_calls");
  ASSERT_THAT(reply->tool_calls, SizeIs(1));
  EXPECT_EQ(reply->tool_calls[0].id, "call-7");
  EXPECT_EQ(reply->tool_calls[0].name, "read");
  EXPECT_EQ(reply->tool_calls[0].arguments, R"({"path":"a.txt"})");
  append_round(ask, *reply, "42");
  EXPECT_EQ(asked.complete(ask).value().content, "It says 42.");

  EXPECT_EQ(server.body(0), parse_json(R"({"messages":[{"role":"system","content":"Be brief."},
    {"role":"user","content":"What is in a.txt?"}],"stream":true,"model":"asked-1","stream_options":{"include_usage":true},
    "max_tokens":2048,"tools":[
    {"type":"function","function":{"name":"read","description":"Reads a file.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}},
    {"type":"function","function":{"name":"now","parameters":{"type":"object","properties":{}}}}],"tool_choice":"auto"})")
                                .value());
  EXPECT_EQ(*find(server.body(1), "messages"), parse_json(R"([{"role":"system","content":"Be brief."},
    {"role":"user","content":"What is in a.txt?"},
    {"role":"assistant","content":null,"tool_calls":[{"id":"call-7","type":"function","function":{"name":"read","arguments":"{\"path\":\"a.txt\"}"}}]},
    {"role":"tool","content":"42","tool_call_id":"call-7"}])")
                                                   .value());
}

TEST_F(EndpointClientTest, R8_ToolsAndTheirChoiceAreSentTogetherOrNotAtAll) {
  Server server({Server::stream({"ok"})});
  Models& asked = open(server);
  Ask ask = tool_question();
  for (const ToolChoice choice : {ToolChoice::none, ToolChoice::required}) {
    ask.tool_choice = choice;
    ASSERT_TRUE(asked.complete(ask));
  }
  ask.tools.clear();
  ask.response_format = parse_json(R"({"type":"json_object"})").value();
  ASSERT_TRUE(asked.complete(ask));
  EXPECT_EQ(find(server.body(0), "tool_choice")->as_string(), "none");
  EXPECT_EQ(find(server.body(1), "tool_choice")->as_string(), "required");
  EXPECT_EQ(find(server.body(2), "tools"), nullptr);
  EXPECT_EQ(find(server.body(2), "tool_choice"), nullptr);
  EXPECT_EQ(to_json(*find(server.body(2), "response_format")), R"({"type":"json_object"})");
}

TEST_F(EndpointClientTest, R8_AServerThatDoesNotStreamMayBeToldSo) {
  Server server({Server::message(
      R"({"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"now","arguments":{}}}]})")});
  endpoint.stream = false;
  const auto reply = open(server).complete(tool_question());
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->finish_reason, "stop") << "as it came; the calls decide";
  ASSERT_THAT(reply->tool_calls, SizeIs(1));
  EXPECT_EQ(reply->tool_calls[0].arguments, "{}");
  EXPECT_EQ(find(server.body(0), "stream")->as_bool(), false);
  EXPECT_EQ(find(server.body(0), "stream_options"), nullptr);
}

TEST_F(EndpointClientTest, R8_LmStudiosEmptyCallsAreNoCalls) {
  Server server({Server::message(R"({"role":"assistant","content":"text","tool_calls":[]})"),
                 Server::message(R"({"role":"assistant","content":"text","tool_calls":[{"id":"","type":"function"}]})")});
  Models& asked = open(server);
  for (int i = 0; i < 2; ++i) {
    const auto reply = asked.complete(tool_question());
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_THAT(reply->tool_calls, IsEmpty());
    EXPECT_THAT(reply->message.tool_calls, IsEmpty()) << "never echoed";
    EXPECT_EQ(reply->message.content, "text");
  }
}

TEST_F(EndpointClientTest, R8_CallsInTextAreRecognisedOnlyWhenWanted) {
  const std::string text = R"(<tool_call>{"name":"read","arguments":{"path":"a"}}</tool_call>)";
  Server server({Server::stream({text})});
  EXPECT_THAT(open(server).complete(tool_question()).value().tool_calls, IsEmpty());
  endpoint.tool_calls_in_text = true;
  const auto reply = open(server).complete(tool_question()).value();
  ASSERT_THAT(reply.tool_calls, SizeIs(1));
  EXPECT_EQ(reply.content, "");
  EXPECT_THAT(reply.message.tool_calls, SizeIs(1));
  Ask without = tool_question();
  without.tools.clear();
  EXPECT_EQ(open(server).complete(without).value().content, text);
}

TEST_F(EndpointClientTest, R8_ThoughtsAreKeptOutOfAnswerAndHistory) {
  Server server({Server::events({Server::piece(R"({"reasoning_content":"Let me "})"), Server::piece(R"({"reasoning":"think."})"),
                                 Server::delta("42"), Server::finish(), "[DONE]"})});
  const auto reply = open(server).complete(tool_question()).value();
  EXPECT_EQ(reply.reasoning, "Let me think.");
  EXPECT_EQ(reply.content, "42");
  EXPECT_EQ(to_json(to_json_object(reply.message)), R"({"role":"assistant","content":"42"})");
}

TEST_F(EndpointClientTest, R7_AnEmptyAnswerIsOneForWhoWantsItSo) {
  Server server({Server::events({Server::finish("length"), "[DONE]"})});
  Ask ask = tool_question();
  ask.may_be_empty = true;
  const auto reply = open(server).complete(ask);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->content, "");
  EXPECT_EQ(reply->finish_reason, "length");
  EXPECT_THAT(server.seen(), SizeIs(1));
}

TEST_F(EndpointClientTest, R8_AStreamThatBreaksInsideACallIsAskedAgain) {
  Server server(
      {Server::events({Server::piece(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"pa"}}]})")},
                      false),
       Server::events({Server::piece(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"read"}}]})"),
                       R"({"error":{"message":"out of memory"}})"}),
       Server::stream_call("b", "read", "{}")});
  const auto reply = open(server).complete(tool_question());
  ASSERT_TRUE(reply) << reply.error().message;
  ASSERT_THAT(reply->tool_calls, SizeIs(1));
  EXPECT_EQ(reply->tool_calls[0].id, "b");
  EXPECT_EQ(reply->tool_calls[0].arguments, "{}");
  EXPECT_EQ(reply->tries, 3);
}

TEST_F(EndpointClientTest, R8_AnAskMaySayHowOftenItIsTried) {
  for (const int status : {408, 429, 500, 502, 503, 504}) {
    slept = 0ms;
    Server server({Server::status(status)});
    Ask ask = tool_question();
    ask.attempts = 3;
    ASSERT_FALSE(open(server).complete(ask));
    EXPECT_THAT(server.seen(), SizeIs(3)) << status;
    EXPECT_THAT(slept, AllOf(Ge(1500ms), Le(3000ms))) << "1 s and 2 s, each shortened by up to half";
  }
  for (const int status : {400, 401, 403, 413, 422, 501}) {
    slept = 0ms;
    Server server({Server::status(status)});
    Ask ask = tool_question();
    ask.attempts = 3;
    ASSERT_FALSE(open(server).complete(ask));
    EXPECT_THAT(server.seen(), SizeIs(1)) << status;
    EXPECT_EQ(slept, 0ms);
  }
}

TEST_F(EndpointClientTest, R8_AnAnswerThatDoesNotBeginIsATimeout) {
  Server silent({[&](const Server::Exchange& exchange) { silent.silence()(exchange); }});
  Ask ask = tool_question();
  ask.first_byte = 30ms;
  ask.attempts = 1;
  const auto failed = open(silent).complete(ask);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, "PROVIDER_TIMEOUT");
  EXPECT_THAT(failed.error().message, HasSubstr("began within 30 ms"));
}

TEST_F(EndpointClientTest, R8_CancellingIsNoticedAtOnce) {
  Server silent({[&](const Server::Exchange& exchange) { silent.silence()(exchange); }});
  std::atomic<bool> stop = false;
  Ask ask = tool_question();
  ask.cancelled = [&] { return stop.load(); };
  Models& asked = open(silent);
  auto answer = std::async(std::launch::async, [&] { return asked.complete(ask); });
  silent.wait_for_requests(1);
  const auto before = std::chrono::steady_clock::now();
  stop = true;
  EXPECT_EQ(answer.get().error().kind, ErrorKind::cancelled);
  RecordProperty("ms", static_cast<int>((std::chrono::steady_clock::now() - before) / 1ms));
}

TEST_F(EndpointClientTest, R8_AModelThatIsNotLoadedIsLoadedOnce) {
  const auto missing = Server::status(404, R"({"error":{"message":"No models loaded.","code":"model_not_found"}})");
  Server server({missing, Server::stream({"ok"}), missing});
  server.route("/api/v1/models", Server::status(200, R"({"models":[{"key":"asked-1","loaded_instances":[]}]})"));
  server.route("/api/v1/models/load", Server::status(200, R"({"status":"loaded"})"));
  Models& asked = open(server);
  EXPECT_EQ(asked.complete(tool_question()).value().content, "ok");
  EXPECT_THAT(server.paths(),
              ElementsAre("/v1/chat/completions", "/api/v1/models", "/api/v1/models/load", "/v1/chat/completions"));
  EXPECT_EQ(to_json(server.body(2)), R"({"model":"asked-1"})");
  EXPECT_FALSE(asked.complete(tool_question())) << "still missing behind the load: no third try";
  EXPECT_THAT(server.paths(), SizeIs(8));
  EXPECT_EQ(slept, 0ms);
}

TEST_F(EndpointClientTest, R8_AModelThatDoesNotExistIsAnErrorThatListsWhatDoes) {
  Server server({Server::status(404, R"({"error":{"message":"model 'asked-1' not found"}})")});
  server.route("/v1/models", Server::status(200, R"({"data":[{"id":"other-1"}]})"));
  server.route("/api/v1/models", Server::status(404));
  server.route("/api/v0/models", Server::status(404));
  const auto failed = open(server).complete(tool_question());
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("asked-1"));
  EXPECT_THAT(failed.error().hint, HasSubstr("other-1"));
}

TEST_F(EndpointClientTest, R8_TheChoiceTellsModelAndWindow) {
  Server server({Server::status(404)});
  server.route("/api/v0/models", Server::status(200, R"({"data":[{"id":"asked-1","state":"not-loaded","max_context_length":5000},
    {"id":"busy-2","state":"processing","max_context_length":9000,"loaded_context_length":4000}]})"));
  Models& asked = open(server);
  const auto own = asked.choose(tool_question()).value();
  EXPECT_EQ(own.provider, "local");
  EXPECT_EQ(own.model, "asked-1");
  EXPECT_EQ(own.context, 5000);
  EXPECT_EQ(own.first_byte(), 120s);
  Ask ask = tool_question();
  ask.model = "busy-2";
  EXPECT_EQ(asked.choose(ask).value().context, 4000);
  EXPECT_EQ(asked.choose(ask).value().first_byte(), 60s);
  ask.model = "nobody";
  const auto missing = asked.choose(ask);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, "MODEL_NOT_FOUND");
  EXPECT_THAT(missing.error().hint, HasSubstr("asked-1, busy-2"));
  endpoint.model = "default";
  EXPECT_EQ(open(server).choose(tool_question()).value().model, "busy-2") << "the loaded one";
}

TEST_F(EndpointClientTest, R8_WithoutANameEachEndpointUsesWhatItHasLoaded) {
  Server server({Server::stream({"ok"})});
  server.route("/api/v1/models", Server::status(200, R"({"models":[{"key":"a","loaded_instances":[]},
    {"key":"b","loaded_instances":[{"id":"b"}]}]})"));
  endpoint.model = "";
  Models& asked = open(server);
  Ask ask = tool_question();
  ask.model = kDefaultModel;
  ASSERT_TRUE(asked.complete(ask));
  ASSERT_TRUE(asked.complete(ask));
  EXPECT_THAT(server.paths(), ElementsAre("/api/v1/models", "/v1/chat/completions", "/v1/chat/completions"));
  EXPECT_EQ(find(server.body(1), "model")->as_string(), "b");
  ask.model.clear();
  ASSERT_TRUE(asked.complete(ask));
  EXPECT_EQ(find(server.body(3), "model"), nullptr) << "a server with a single model needs none";
}

TEST_F(EndpointClientTest, R8_AnEndpointThatCannotListItsModelsIsBelieved) {
  Server server({Server::status(404)});
  endpoint.context_window = 1234;
  endpoint.context_window_known = true;
  const auto choice = open(server).choose(tool_question());
  ASSERT_TRUE(choice) << choice.error().message;
  EXPECT_EQ(choice->model, "asked-1");
  EXPECT_EQ(choice->context, 1234);
}

}  // namespace
}  // namespace holdfast::model
