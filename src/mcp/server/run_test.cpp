// One request over its rounds: progress, questions and their ends, in both eras.

#include "mcp/server/test_server.h"
#include "mcp/transport/transport_stdio.h"

#include <gmock/gmock.h>

namespace holdfast::mcp {
namespace {

class RunTest : public ::testing::Test {
 protected:
  RunTest() {
    add(simple_tool("ask", [](Call& call) -> ToolReply {
      call.progress(1, 3);
      call.progress(1, 3);
      const Answer* answer = call.ask("a", ask_for("x"));
      if (!answer) return InputRequired{};
      if (answer->failure) return ToolResult::failure(*answer->failure);
      call.progress(2, 3);
      return ToolResult::text("thanks");
    }));
    add(simple_tool("hurry", [](Call& call) -> ToolReply {
      Question question = ask_for("x");
      question.patience = std::chrono::milliseconds(1);
      const Answer* answer = call.ask("a", std::move(question));
      if (!answer) return InputRequired{};
      return ToolResult::text(answer->failure ? answer->failure->message : "answered");
    }));
    add(simple_tool("both", [](Call& call) -> ToolReply {
      call.ask("form", ask_for("x"));
      call.ask("url", Question::url("?", "https://example.org"));
      return InputRequired{};
    }));
    add(simple_tool("throws", [](Call&) -> ToolReply { throw 5; }));
    add(simple_tool("wait", [](Call& call) -> ToolReply {
      while (call.wait_for(std::chrono::milliseconds(1))) {
      }
      return ToolResult::text("cancelled");
    }));
  }

  void add(Tool tool) { ASSERT_TRUE(server_->server.add_tool(std::move(tool))); }

  std::shared_ptr<FakeExchange> call(const std::string& session, const std::string& tool, const std::string& id = "1") {
    return server_->post(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call","params":{"name":")" + tool +
                             R"(","_meta":{"progressToken":"p"}}})",
                         session);
  }
  void answer(const std::string& session, const Json& id) {
    auto exchange = server_->post(
        R"({"jsonrpc":"2.0","id":)" + to_json(id) + R"(,"result":{"action":"accept","content":{"x":"y"}}})", session);
    EXPECT_EQ(exchange->response.status, 202);
  }
  static std::vector<Json> with_method(const FakeExchange& exchange, const char* method) {
    std::vector<Json> found;
    for (const Json& message : exchange.messages())
      if (at(message, "method") == Json(method)) found.push_back(message);
    return found;
  }

  SharedState shared_;
  std::unique_ptr<TestServer> server_ = std::make_unique<TestServer>(shared_);
};

// The handler runs again from its top after an answer, and reports again what it has reported before.
TEST_F(RunTest, ProgressGrowsAlsoOverSeveralRuns) {
  std::string session = server_->initialize("2025-11-25", kFormsCapability);
  auto exchange = call(session, "ask");
  server_->turn_until([&] { return !with_method(*exchange, "elicitation/create").empty(); });
  answer(session, at(with_method(*exchange, "elicitation/create")[0], "id"));
  server_->turn_until([&] { return exchange->done; });
  std::vector<Json> values;
  for (const Json& progress : with_method(*exchange, "notifications/progress"))
    values.push_back(at(progress, "params", "progress"));
  EXPECT_THAT(values, ::testing::ElementsAre(Json(1.0), Json(2.0)));
}

// A late answer to a question of an earlier process must not pass for an answer to this one.
TEST_F(RunTest, QuestionsOfDifferentProcessesHaveDifferentIds) {
  std::string session = server_->initialize("2025-11-25", kFormsCapability);
  auto first = call(session, "ask", "1");
  server_->turn_until([&] { return !with_method(*first, "elicitation/create").empty(); });
  TestServer other(shared_);
  ASSERT_TRUE(other.server.add_tool(simple_tool("ask", [](Call& call) -> ToolReply {
    return call.ask("a", ask_for("x")) ? ToolReply(ToolResult::text("fooled")) : ToolReply(InputRequired{});
  })));
  auto second = other.post(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask"}})", session);
  other.turn_until([&] { return !with_method(*second, "elicitation/create").empty(); });
  EXPECT_NE(at(with_method(*first, "elicitation/create")[0], "id"), at(with_method(*second, "elicitation/create")[0], "id"));
}

TEST_F(RunTest, ACancelledCallTakesItsQuestionsBackAndGetsNoAnswer) {
  std::string session = server_->initialize("2025-11-25", kFormsCapability);
  auto exchange = call(session, "ask");
  server_->turn_until([&] { return !with_method(*exchange, "elicitation/create").empty(); });
  Json question = at(with_method(*exchange, "elicitation/create")[0], "id");
  server_->post(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})", session);
  server_->turn_until([&] { return exchange->done; });
  auto cancelled = with_method(*exchange, "notifications/cancelled");
  ASSERT_EQ(cancelled.size(), 1U);
  EXPECT_EQ(at(cancelled[0], "params", "requestId"), question);
  for (const Json& message : exchange->messages())
    EXPECT_NE(at(message, "id"), Json(1)) << "the cancelled side sends no response: " << to_json(message);
  answer(session, question);  // late, and harmless
}

TEST_F(RunTest, AQuestionThatIsNotAnsweredInTimeIsTakenBack) {
  std::string session = server_->initialize("2025-11-25", kFormsCapability);
  auto exchange = call(session, "hurry");
  server_->turn_until([&] { return exchange->done; });
  Json question = at(with_method(*exchange, "elicitation/create").at(0), "id");
  EXPECT_EQ(at(with_method(*exchange, "notifications/cancelled").at(0), "params", "requestId"), question);
  EXPECT_EQ(at(exchange->messages().back(), "result", "content", 0, "text"), Json("the client did not answer in time"));
}

TEST_F(RunTest, EveryMissingCapabilityIsNamed) {
  auto exchange = server_->modern("tools/call", "both", R"("name":"both",)");
  server_->turn_until([&] { return exchange->done; });
  EXPECT_EQ(exchange->response.status, 400);
  Json required = at(exchange->body(), "error", "data", "requiredCapabilities", "elicitation");
  EXPECT_TRUE(at(required, "form").is_object() && at(required, "url").is_object()) << to_json(required);
}

TEST_F(RunTest, AHandlerThatThrowsAnythingIsAnswered) {
  auto exchange = server_->modern("tools/call", "throws", R"("name":"throws",)");
  server_->turn_until([&] { return exchange->done; });
  EXPECT_EQ(at(exchange->body(), "error", "code"), Json(-32603));
}

TEST_F(RunTest, RunningRequestsAreCounted) {
  auto exchange = server_->modern("tools/call", "wait", R"("name":"wait",)");
  EXPECT_EQ(server_->server.counts().running, 1U);
  exchange->leave();
  EXPECT_EQ(server_->server.counts().running, 0U);
}

}  // namespace
}  // namespace holdfast::mcp
