// The real client against tests/e2e/openai_api.py, the player that whole-program tests use: whatever a server does otherwise, the
// same calls and the same text come out.

#include "base/files/test_data.h"
#include "base/files/test_folder.h"
#include "model/open_models.h"
#include "net/client/http_client.h"
#include "net/run/child.h"

#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

namespace holdfast::model {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Player {
 public:
  Player()
      : runs_([this] {
          net::ChildCall call;
          call.arguments = {"python3", test_data("../e2e/openai_api.py"), port_file()};
          call.timeout = std::chrono::minutes(5);
          call.go_on = [this] { return !stop_.load(); };
          const auto ended = net::run_child(call);
          if (!stop_) ADD_FAILURE() << (ended ? ended->errors : ended.error().message);
          stop_ = true;
        }) {
    while (!stop_ && !std::filesystem::exists(port_file())) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::ifstream(port_file()) >> port_;
  }
  ~Player() {
    stop_ = true;
    runs_.join();
  }

  std::string url() const { return "http://127.0.0.1:" + port_; }
  // GET without a body; what came is an object or a list.
  Json control(const std::string& body = {}) const {
    net::HttpCall call;
    call.url = url() + "/_test";
    call.method = body.empty() ? "GET" : "POST";
    call.body = body;
    return parse_json(net::HttpClient::make().value()->send(call).value().body).value();
  }

 private:
  std::string port_file() const { return folder_ / "port"; }

  TestFolder folder_;
  std::atomic<bool> stop_ = false;
  std::string port_;
  std::thread runs_;
};

struct PlayedModelTest : testing::Test {
  static void SetUpTestSuite() { player = std::make_unique<Player>(); }
  static void TearDownTestSuite() { player.reset(); }

  std::unique_ptr<Models> models(bool stream = true, Api api = Api::chat) const {
    Endpoint endpoint;
    endpoint.name = "played";
    endpoint.base_url = player->url() + "/v1";
    endpoint.model = "played";
    endpoint.stream = stream;
    endpoint.api = api;
    endpoint.tool_calls_in_text = true;
    ModelOptions options;
    options.sleep = [](std::chrono::milliseconds) {};
    return make_models({endpoint}, options);
  }
  static Ask question() {
    Ask ask;
    ask.messages = {{"user", "What is in grün.txt?"}};
    ask.tools = {{"read"}, {"list"}};
    return ask;
  }
  // Two calls, then an answer that holds what the tools said.
  static void converse(Models& asked) {
    Ask ask = question();
    const auto reply = asked.complete(ask);
    ASSERT_TRUE(reply) << reply.error().message;
    ASSERT_THAT(reply->tool_calls, SizeIs(2));
    EXPECT_EQ(reply->tool_calls[0].name, "read");
    EXPECT_EQ(parse_json(reply->tool_calls[0].arguments).value(), parse_json(R"({"path":"grün.txt","n":1})").value());
    EXPECT_EQ(reply->tool_calls[1].name, "list");
    EXPECT_EQ(parse_json(reply->tool_calls[1].arguments).value(), Json(JsonObject()));
    EXPECT_EQ(reply->reasoning, "Ich schaue nach.");
    EXPECT_EQ(reply->content, "");
    ask.messages.push_back(reply->message);
    for (const ToolCall& call : reply->tool_calls) ask.messages.push_back({"tool", "only " + call.name + " knows €", call.id});
    const auto last = asked.complete(ask);
    ASSERT_TRUE(last) << last.error().message;
    EXPECT_EQ(last->content, "They say: only read knows €\nonly list knows €");
    EXPECT_THAT(last->tool_calls, IsEmpty());
  }
  static constexpr const char* kScript = R"({"reset":true,"answers":[{"reasoning":"Ich schaue nach.",
    "calls":[{"name":"read","arguments":{"path":"grün.txt","n":1}},{"name":"list"}]},"They say: %TOOLS%"],"deviations":)";

  inline static std::unique_ptr<Player> player;
};

TEST_F(PlayedModelTest, R8_WhateverAServerDoesOtherwiseTheCallsAreTheSame) {
  for (const char* deviations :
       {"[]", R"(["empty-calls"])", R"(["ghost-call"])", R"(["finish-stop"])", R"(["text-calls"])", R"(["whole-calls"])",
        R"(["no-index"])", R"(["same-index"])", R"(["no-id"])", R"(["object-arguments"])",
        R"(["no-id","whole-calls","no-index"])", R"(["no-done"])", R"(["crlf","comments"])", R"(["multi-line"])", R"(["split"])",
        R"(["reasoning-key"])", R"(["split","crlf","multi-line","comments","ghost-call","finish-stop","empty-calls"])"})
    for (const bool stream : {true, false}) {
      SCOPED_TRACE(std::string(deviations) + (stream ? " in a stream" : " in a document"));
      player->control(std::string(kScript) + deviations + "}");
      converse(*models(stream));
    }
}

TEST_F(PlayedModelTest, R8_TheOtherInterfaceGivesTheSame) {
  for (const bool stream : {true, false}) {
    player->control(std::string(kScript) + R"([],"responses":true})");
    converse(*models(stream, Api::responses));
    const Json seen = player->control();
    EXPECT_EQ(find(seen.as_array().at(1), "path")->as_string(), "/v1/responses");
    EXPECT_NE(find(*find(seen.as_array().at(1), "body"), "previous_response_id"), nullptr);
  }
  player->control(std::string(kScript) + "[]}");  // not there: the usual way
  converse(*models(true, Api::responses));
}

TEST_F(PlayedModelTest, R8_AConversationTheServerForgotIsSentAgain) {
  player->control(std::string(kScript) + R"([],"responses":true})");
  const auto asked = models(true, Api::responses);
  Ask ask = question();
  const Reply reply = asked->complete(ask).value();
  ask.messages.push_back(reply.message);
  for (const ToolCall& call : reply.tool_calls) ask.messages.push_back({"tool", call.name, call.id});
  player->control(R"({"responses":"forget"})");
  EXPECT_EQ(asked->complete(ask).value().content, "They say: read\nlist");
}

TEST_F(PlayedModelTest, R8_BrokenStreamsAreAskedAgain) {
  for (const char* fault : {"cut", "stream-error", "malformed", "500", "429"}) {
    SCOPED_TRACE(fault);
    player->control(std::string(kScript) + R"([],"faults":[")" + fault + "\"]}");
    if (std::string_view(fault) == "cut" || std::string_view(fault) == "stream-error")  // these use up an answer
      player->control(R"({"answers":["half and more","whole"]})");
    const auto reply = models()->complete(question());
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->tries, 2);
  }
}

TEST_F(PlayedModelTest, R8_ModelsAreListedChosenAndLoaded) {
  for (const char* lmstudio : {"\"v0\"", "\"v1\"", "null"}) {
    SCOPED_TRACE(lmstudio);
    player->control(R"({"reset":true,"models":[{"id":"text-embedding-x","type":"embeddings"},
      {"id":"played","state":"not-loaded","max_context_length":4096},
      {"id":"big-9b","state":"loaded","max_context_length":9000,"loaded_context_length":5000}],"lmstudio":)" +
                    std::string(lmstudio) + "}");
    const auto asked = models();
    Ask ask = question();
    const auto choice = asked->choose(ask).value();
    EXPECT_EQ(choice.model, "played");
    EXPECT_FALSE(choice.loaded);
    ask.model = "big-9b";
    EXPECT_EQ(asked->choose(ask).value().context,
              std::string_view(lmstudio) == "null" ? std::optional<std::int64_t>() : std::optional<std::int64_t>(5000));
    ask.model = "nobody";
    EXPECT_THAT(asked->choose(ask).error().hint, HasSubstr("played, big-9b"));
  }
  player->control(
      R"({"reset":true,"models":[{"id":"played","state":"not-loaded"}],"lmstudio":"v1","jit":false,"answers":["ok"]})");
  EXPECT_EQ(models()->complete(question()).value().content, "ok");
}

}  // namespace
}  // namespace holdfast::model
