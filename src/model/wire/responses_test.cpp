// The interface that remembers conversations, against a scripted server on loopback.

#include "model/wire/responses.h"

#include "model/open_models.h"
#include "model/test_endpoint.h"

#include <gmock/gmock.h>

namespace holdfast::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Server = TestEndpoint;

constexpr const char* kCall = R"({"id":"resp-1","status":"completed","model":"m-1","output":[
  {"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"I must look."}]},
  {"type":"function_call","id":"fc-1","call_id":"call-1","name":"read","arguments":"{\"path\":\"a\"}"}],
  "usage":{"input_tokens":20,"output_tokens":4},"error":null})";
constexpr const char* kText = R"({"id":"resp-2","status":"completed","output":[
  {"type":"message","role":"assistant","content":[{"type":"output_text","text":"It says "},{"type":"output_text","text":"42."}]}]})";

Ask limited_question() {
  Ask ask;
  ask.messages = {{"system", "Be brief."}, {"user", "What is in a?"}};
  ask.tools = {{"read", "Reads.", parse_json(R"({"type":"object"})").value()}};
  ask.max_tokens = 77;
  return ask;
}

struct ResponsesTest : testing::Test {
  Models& open(Server& server) {
    Endpoint endpoint;
    endpoint.name = "local";
    endpoint.base_url = server.base_url();
    endpoint.model = "asked-1";
    endpoint.api = Api::responses;
    ModelOptions options;
    options.sleep = [](std::chrono::milliseconds) {};
    models = make_models({endpoint}, options);
    return *models;
  }
  // Asks, and appends what a runner would: the answer, and the result of its call.
  Ask after_a_call(Models& asked) {
    Ask ask = limited_question();
    const Reply reply = asked.complete(ask).value();
    ask.messages.push_back(reply.message);
    ask.messages.push_back({"tool", "42", reply.tool_calls.at(0).id});
    return ask;
  }
  std::unique_ptr<Models> models;
};

TEST_F(ResponsesTest, R8_OnlyWhatIsNewIsSent) {
  Server server({Server::status(200, kCall), Server::status(200, kText)});
  Models& asked = open(server);
  const auto reply = asked.complete(limited_question());
  ASSERT_TRUE(reply) << reply.error().message;
  ASSERT_THAT(reply->tool_calls, SizeIs(1));
  EXPECT_EQ(reply->tool_calls[0].id, "call-1");
  EXPECT_EQ(reply->tool_calls[0].arguments, R"({"path":"a"})");
  EXPECT_EQ(reply->reasoning, "I must look.");
  EXPECT_EQ(reply->tokens.in, 20);
  EXPECT_EQ(reply->model, "m-1");
  EXPECT_EQ(server.body(0),
            parse_json(R"({"input":[{"role":"system","content":"Be brief."},{"role":"user","content":"What is in a?"}],
    "stream":true,"model":"asked-1","max_output_tokens":77,
    "tools":[{"type":"function","name":"read","description":"Reads.","parameters":{"type":"object"}}],"tool_choice":"auto"})")
                .value());

  Ask ask = limited_question();
  ask.messages.push_back(reply->message);
  ask.messages.push_back({"tool", "42", "call-1"});
  EXPECT_EQ(asked.complete(ask).value().content, "It says 42.");
  EXPECT_EQ(find(server.body(1), "previous_response_id")->as_string(), "resp-1");
  EXPECT_EQ(to_json(*find(server.body(1), "input")), R"([{"type":"function_call_output","call_id":"call-1","output":"42"}])");
  EXPECT_THAT(server.paths(), ElementsAre("/v1/responses", "/v1/responses"));
}

TEST_F(ResponsesTest, R8_AnUnknownConversationIsRebuiltFromOurs) {
  for (const auto& forgotten :
       {Server::status(
            400, R"({"error":{"message":"Previous response with id 'resp-1' not found.","code":"previous_response_not_found"}})"),
        Server::status(404, R"({"error":{"message":"no such thing"}})")}) {
    Server server({Server::status(200, kCall), forgotten, Server::status(200, kText)});
    Models& asked = open(server);
    const Ask ask = after_a_call(asked);
    const auto reply = asked.complete(ask);
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->content, "It says 42.");
    EXPECT_EQ(find(server.body(2), "previous_response_id"), nullptr);
    EXPECT_EQ(*find(server.body(2), "input"),
              parse_json(R"([{"role":"system","content":"Be brief."},{"role":"user","content":"What is in a?"},
      {"type":"function_call","call_id":"call-1","name":"read","arguments":"{\"path\":\"a\"}"},
      {"type":"function_call_output","call_id":"call-1","output":"42"}])")
                  .value());
  }
}

TEST_F(ResponsesTest, R8_AConversationThatWasChangedHereIsSentWhole) {
  Server server({Server::status(200, kCall), Server::status(200, kText)});
  Models& asked = open(server);
  Ask ask = after_a_call(asked);
  ask.messages[1].content = "What is in a? (shortened)";
  ASSERT_TRUE(asked.complete(ask));
  EXPECT_EQ(find(server.body(1), "previous_response_id"), nullptr);
  EXPECT_THAT(find(server.body(1), "input")->as_array(), SizeIs(4));
}

TEST_F(ResponsesTest, R8_AServerWithoutItIsAskedTheUsualWayFromThenOn) {
  for (const auto& unknown :
       {Server::status(404), Server::status(200, R"({"error":"Unexpected endpoint or method. POST /v1/responses"})")}) {
    Server server({unknown, Server::stream({"ok"})});
    Models& asked = open(server);
    ASSERT_TRUE(asked.complete(limited_question()));
    ASSERT_TRUE(asked.complete(limited_question()));
    EXPECT_THAT(server.paths(), ElementsAre("/v1/responses", "/v1/chat/completions", "/v1/chat/completions"));
  }
}

TEST_F(ResponsesTest, R8_AStreamOfItIsRead) {
  const std::string completed = R"({"type":"response.completed","response":)" + to_json(parse_json(kText).value()) + "}";
  Server server({Server::events({R"({"type":"response.created","response":{"id":"resp-2","error":null}})",
                                 R"({"type":"response.output_text.delta","delta":"It says "})",
                                 R"({"type":"response.output_text.delta","delta":"42."})", completed})});
  Ask ask = limited_question();
  std::string streamed;
  ask.on_text = [&](std::string_view piece) { streamed += piece; };
  const auto reply = open(server).complete(ask);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->content, "It says 42.");
  EXPECT_EQ(streamed, reply->content);
}

TEST_F(ResponsesTest, R8_CallsOfAStreamMayStandInItsItemsAlone) {
  Server server({Server::events(
      {R"({"type":"response.output_item.done","item":{"type":"function_call","call_id":"c","name":"read","arguments":"{}"}})",
       R"({"type":"response.completed","response":{"id":"r","status":"completed","output":[]}})"})});
  const auto reply = open(server).complete(limited_question());
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_THAT(reply->tool_calls, SizeIs(1));
  EXPECT_EQ(reply->finish_reason, "tool_calls");
}

TEST_F(ResponsesTest, R8_FailuresAndCutAnswersAreToldApart) {
  Server failing(
      {Server::events(
           {R"({"type":"response.failed","response":{"status":"failed","error":{"message":"it crashed","code":"server_error"}}})"}),
       Server::events({R"({"type":"response.output_text.delta","delta":"half"})"}), Server::status(200, R"({"output":"text"})"),
       Server::status(200, kText)});
  const auto reply = open(failing).complete(limited_question());
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->tries, 4);
  Server limited({Server::status(200, R"({"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},
    "output":[{"type":"message","content":[{"type":"output_text","text":"It sa"}]}]})")});
  EXPECT_EQ(open(limited).complete(limited_question()).value().finish_reason, "length");
}

TEST(Responses, AnAnswerInASchemaIsAskedForInItsOwnForm) {
  Ask ask;
  ask.messages = {{"user", "x"}};
  ask.response_format =
      parse_json(R"({"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":{"type":"object"}}})").value();
  const Json body = parse_json(responses_request({}, ask, "m", std::nullopt)).value();
  EXPECT_EQ(*find(*find(body, "text"), "format"),
            parse_json(R"({"type":"json_schema","name":"n","strict":true,"schema":{"type":"object"}})").value());
}

TEST(ResponseMemory, TheLongestKnownPartIsContinuedAndOtherModelsKnowNothing) {
  ResponseMemory memory;
  Ask ask;
  ask.messages = {{"user", "1"}};
  Reply reply;
  reply.message = {"assistant", "one"};
  memory.remember(ask, "m", reply, "r1");
  EXPECT_FALSE(memory.find(ask, "m")) << "that is the question, not a part of a conversation";
  ask.messages.push_back(reply.message);
  EXPECT_FALSE(memory.find(ask, "m")) << "nothing new to say";
  ask.messages.push_back({"user", "2"});
  EXPECT_EQ(memory.find(ask, "m")->response_id, "r1");
  EXPECT_EQ(memory.find(ask, "m")->known, 2U);
  EXPECT_FALSE(memory.find(ask, "other"));
  reply.message = {"assistant", "two"};
  memory.remember(ask, "m", reply, "r2");
  ask.messages.push_back(reply.message);
  ask.messages.push_back({"user", "3"});
  EXPECT_EQ(memory.find(ask, "m")->response_id, "r2");
  EXPECT_EQ(memory.find(ask, "m")->known, 4U);
}

TEST(ResponseMemory, TheOldestAreForgotten) {
  ResponseMemory memory;
  Reply reply;
  reply.message = {"assistant", "a"};
  const auto conversation = [&](int number) {
    Ask ask;
    ask.messages = {{"user", std::to_string(number)}};
    return ask;
  };
  for (int i = 0; i < 1100; ++i) memory.remember(conversation(i), "m", reply, "r" + std::to_string(i));
  const auto known = [&](int number) {
    Ask ask = conversation(number);
    ask.messages.push_back(reply.message);
    ask.messages.push_back({"user", "more"});
    return memory.find(ask, "m").has_value();
  };
  EXPECT_FALSE(known(0));
  EXPECT_TRUE(known(1099));
}

}  // namespace
}  // namespace holdfast::model
