// What only the modern era has: multi round-trip requests, tasks, subscriptions (mcp-protocol §11, §12, §17).

#include "mcp/server/test_server.h"

namespace holdfast::mcp {
namespace {

class ModernTest : public ::testing::Test {
 protected:
  ModernTest() { offer(*server_); }

  void offer(TestServer& target) {
    ASSERT_TRUE(target.server.add_tool(simple_tool("two", [this](Call& call) -> ToolReply {
      ++runs_;
      const Answer* first = call.ask("a", ask_for("x"));
      if (!first) return InputRequired{};
      call.state()["seen"] = "a";
      const Answer* second = call.ask("b", ask_for("y"));
      if (!second) return InputRequired{};
      return ToolResult::text(to_json(*first->content()) + to_json(*second->content()) + to_json(call.state()));
    })));
    ASSERT_TRUE(target.server.add_tool(simple_tool("sealed", [](Call& call) -> ToolReply {
      Question question = ask_for("x");
      question.sealed = true;
      return call.ask("a", std::move(question)) ? ToolReply(ToolResult::text("permitted")) : ToolReply(InputRequired{});
    })));
    Tool task = simple_tool("task", [this](Call& call) -> ToolReply {
      if (!call.become_task("at work").value_or(false)) return ToolResult::text("ran at once");
      const Answer* a = call.ask("a", ask_for("x"));
      const Answer* b = call.ask("b", ask_for("y"));
      if (!a || !b) return InputRequired{};
      while (!release_ && call.wait_for(std::chrono::milliseconds(1))) {
      }
      return ToolResult::failure("the tool says no");
    });
    task.tasks = Tool::Tasks::optional;
    ASSERT_TRUE(target.server.add_tool(std::move(task)));
  }

  Json call(const std::string& tool, const std::string& members = {}, const std::string& capabilities = kFormsCapability,
            const std::string& principal = "local") {
    auto exchange =
        server_->modern("tools/call", tool, R"("name":")" + tool + "\"," + members, capabilities, full_identity(principal));
    server_->turn_until([&] { return exchange->done; });
    return exchange->body();
  }
  Json task_method(const std::string& method, const std::string& id, const std::string& members = {},
                   const std::string& principal = "local", const char* capabilities = kTasksCapability) {
    auto exchange = server_->modern(method, id, R"("taskId":")" + id + "\"," + members, capabilities, full_identity(principal));
    server_->turn_until([&] { return exchange->done; });
    return exchange->body();
  }
  Json task_until(const std::string& id, std::string_view status) {
    Json task;
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    do {
      task = at(task_method("tasks/get", id), "result");
    } while (at(task, "status") != Json(status) && std::chrono::steady_clock::now() < deadline);
    EXPECT_EQ(at(task, "status"), Json(status));
    return task;
  }
  static std::string state_of(const Json& answer) {
    return R"("requestState":)" + to_json(at(answer, "result", "requestState")) + ",";
  }

  std::atomic<int> runs_ = 0;
  std::atomic<bool> release_ = false;
  SharedState shared_;
  std::unique_ptr<TestServer> server_ = std::make_unique<TestServer>(shared_);
};

TEST_F(ModernTest, RoundsGoOnInAnotherProcess) {
  Json first = call("two");
  EXPECT_EQ(at(first, "result", "resultType"), Json("input_required"));
  EXPECT_TRUE(at(first, "result", "inputRequests", "a", "params", "requestedSchema").is_object());
  EXPECT_TRUE(at(first, "result", "ttlMs").is_null());
  server_ = std::make_unique<TestServer>(shared_);
  offer(*server_);
  Json second = call("two", state_of(first) + R"("inputResponses":{"a":{"action":"accept","content":{"x":"1"}}},)");
  EXPECT_TRUE(at(second, "result", "inputRequests", "a").is_null());
  EXPECT_NE(at(second, "result", "requestState"), at(first, "result", "requestState"));
  Json third = call("two", state_of(second) + R"("inputResponses":{"b":{"action":"accept","content":{"y":"2"}},"extra":5},)");
  EXPECT_EQ(at(third, "result", "content", 0, "text"), Json(R"({"x":"1"}{"y":"2"}{"seen":"a"})"));
  EXPECT_EQ(runs_, 3);
}

TEST_F(ModernTest, RequestStateIsBoundToPrincipalRequestAndTime) {
  std::string state = state_of(call("two"));
  std::string answer = R"("inputResponses":{"a":{"action":"accept","content":{"x":"1"}}},)";
  EXPECT_EQ(at(call("two", state + answer, kFormsCapability, "mallory"), "error", "code"), Json(-32602));
  EXPECT_EQ(at(call("two", state + R"("arguments":{"other":1},)" + answer), "error", "code"), Json(-32602));
  EXPECT_EQ(at(call("sealed", state + answer), "error", "code"), Json(-32602)) << "state of another tool";
  std::string tampered = state;
  tampered.insert(tampered.size() - 3, "-TAMPERED");
  EXPECT_EQ(at(call("two", tampered + answer), "error", "code"), Json(-32602));
  EXPECT_EQ(at(call("two", R"("requestState":5,)" + answer), "error", "code"), Json(-32602));
  shared_.clock.advance(3'600'000);
  EXPECT_EQ(at(call("two", state + answer), "error", "code"), Json(-32602)) << "expired";
}

TEST_F(ModernTest, AnswersThatDoNotFitAreAskedForAgain) {
  for (const char* bad :
       {R"({"a":5})", R"({"a":null})", R"({"a":{"action":"accept"}})", R"({"a":{"action":"accept","content":{"x":1}}})",
        R"({"wrong":{"action":"accept","content":{"x":"1"}}})"}) {
    Json reply = call("two", R"("inputResponses":)" + std::string(bad) + ",");
    EXPECT_EQ(at(reply, "result", "resultType"), Json("input_required")) << bad;
  }
  EXPECT_EQ(at(call("two", R"("inputResponses":null,)"), "error", "code"), Json(-32602));
}

TEST_F(ModernTest, ASealedQuestionCannotBeAnsweredBeforeItWasPut) {
  std::string answer = R"("inputResponses":{"a":{"action":"accept","content":{"x":"1"}}},)";
  Json asked = call("sealed", answer);
  EXPECT_EQ(at(asked, "result", "resultType"), Json("input_required"));
  EXPECT_EQ(at(call("sealed", state_of(asked) + answer), "result", "content", 0, "text"), Json("permitted"));
}

TEST_F(ModernTest, ATaskTakesItsAnswersOneByOneAndEndsWithTheToolsError) {
  Json created = at(call("task", {}, kTasksCapability), "result");
  EXPECT_EQ(at(created, "resultType"), Json("task"));
  EXPECT_TRUE(at(created, "task").is_null());
  EXPECT_TRUE(at(created, "ttlMs").is_int64());
  std::string id(view(at(created, "taskId").as_string()));
  Json waiting = task_until(id, "input_required");
  EXPECT_EQ(at(waiting, "inputRequests").as_object().size(), 2U);
  auto ack = task_method("tasks/update", id, R"("inputResponses":{"a":{"action":"accept","content":{"x":"1"}},"nobody":{}},)");
  EXPECT_EQ(at(ack, "result", "resultType"), Json("complete"));
  EXPECT_TRUE(at(ack, "result", "status").is_null());
  Json partly = at(task_method("tasks/get", id), "result");
  EXPECT_EQ(at(partly, "status"), Json("input_required"));
  EXPECT_TRUE(at(partly, "inputRequests", "a").is_null());
  EXPECT_TRUE(at(partly, "inputRequests", "b").is_object());
  for (const char* hidden : {"principal", "projects", "owner", "_answers"}) EXPECT_TRUE(at(partly, hidden).is_null()) << hidden;
  task_method("tasks/update", id, R"("inputResponses":{"b":{"action":"accept","content":{"y":"2"}}},)");
  EXPECT_EQ(at(task_method("tasks/get", id), "result", "status"), Json("working"));
  release_ = true;
  Json done = task_until(id, "completed");
  EXPECT_EQ(at(done, "result", "isError"), Json(true)) << "a tool's error completes the task";
  EXPECT_TRUE(at(done, "error").is_null());
}

TEST_F(ModernTest, TasksBelongToTheirPrincipalAndNeedTheExtension) {
  EXPECT_EQ(at(call("task", {}, kFormsCapability), "result", "content", 0, "text"), Json("ran at once"));
  std::string id(view(at(call("task", {}, kTasksCapability), "result", "taskId").as_string()));
  for (const char* method : {"tasks/get", "tasks/update", "tasks/cancel"}) {
    std::string members = R"("inputResponses":{},)";
    EXPECT_EQ(at(task_method(method, id, members, "mallory"), "error", "code"), Json(-32602)) << method;
    EXPECT_EQ(at(task_method(method, "00000000-0000-4000-8000-000000000000", members), "error", "code"), Json(-32602)) << method;
    EXPECT_EQ(at(task_method(method, id, members, "local", kFormsCapability), "error", "code"), Json(-32021)) << method;
  }
  task_method("tasks/cancel", id);
  EXPECT_EQ(at(task_method("tasks/get", id), "result", "status"), Json("cancelled"));
  EXPECT_EQ(at(task_method("tasks/cancel", id), "result", "resultType"), Json("complete")) << "cancelling twice is fine";
}

TEST_F(ModernTest, SubscriptionsCarryTheirIdAndOnlyWhatWasAskedFor) {
  auto listen =
      server_->modern("subscriptions/listen", {}, R"("notifications":{"toolsListChanged":true,"promptsListChanged":true},)");
  ASSERT_TRUE(listen->streaming);
  Json acknowledged = listen->messages().at(0);
  EXPECT_EQ(at(acknowledged, "method"), Json("notifications/subscriptions/acknowledged"));
  EXPECT_EQ(at(acknowledged, "params", "notifications"), Json(JsonObject{{"toolsListChanged", true}}))
      << "no prompts are offered here";
  server_->server.resources_changed();
  server_->server.tools_changed();
  ASSERT_EQ(listen->messages().size(), 2U);
  EXPECT_EQ(at(listen->messages()[1], "params", "_meta", "io.modelcontextprotocol/subscriptionId"), Json(1))
      << "a number stays a number";
  server_->server.shut_down();
  EXPECT_TRUE(listen->done);
  EXPECT_EQ(at(listen->messages()[2], "result", "resultType"), Json("complete"));
  EXPECT_EQ(server_->server.counts().subscriptions, 0U);
}

TEST_F(ModernTest, AClosedSubscriptionIsForgotten) {
  auto listen = server_->modern("subscriptions/listen", {}, R"("notifications":{"toolsListChanged":true},)");
  EXPECT_EQ(server_->server.counts().subscriptions, 1U);
  listen->leave();
  EXPECT_EQ(server_->server.counts().subscriptions, 0U);
  EXPECT_EQ(at(server_->modern("subscriptions/listen")->body(), "error", "code"), Json(-32602));
  EXPECT_EQ(server_->modern("subscriptions/listen", {}, R"("notifications":{"taskIds":["x"]},)")->response.status, 400);
}

TEST_F(ModernTest, TaskNotificationsReachTheListener) {
  std::string id(view(at(call("task", {}, kTasksCapability), "result", "taskId").as_string()));
  auto listen =
      server_->modern("subscriptions/listen", {}, R"("notifications":{"taskIds":[")" + id + R"("]},)", kTasksCapability);
  auto foreign = server_->modern("subscriptions/listen", {}, R"("notifications":{"taskIds":[")" + id + R"("]},)",
                                 kTasksCapability, full_identity("mallory"));
  task_method("tasks/cancel", id);
  server_->turn_until([&] { return at(listen->messages().back(), "params", "status") == Json("cancelled"); });
  EXPECT_EQ(at(listen->messages().back(), "method"), Json("notifications/tasks"));
  EXPECT_EQ(foreign->messages().size(), 1U) << "only its own acknowledgement";
}

}  // namespace
}  // namespace holdfast::mcp
