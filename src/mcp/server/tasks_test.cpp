// How tasks end, also when nobody cares for them (mcp-protocol §17).

#include "mcp/server/test_server.h"
#include "mcp/wire/limits.h"

namespace holdfast::mcp {
namespace {

class TasksTest : public ::testing::Test {
 protected:
  TasksTest() {
    Tool asks = simple_tool("asks", [](Call& call) -> ToolReply {
      call.progress(1);
      if (!call.become_task().value_or(false)) return ToolResult::failure("no task");
      call.progress(2);
      const Answer* answer = call.ask("a", Question::form("?", {{"type", "object"}, {"properties", JsonObject{}}}));
      if (!answer) return InputRequired{};
      return ToolResult::text("answered");
    });
    asks.tasks = Tool::Tasks::optional;
    Tool works = simple_tool("works", [this](Call& call) -> ToolReply {
      if (!call.become_task().value_or(false)) return ToolResult::failure("no task");
      while (call.wait_for(std::chrono::milliseconds(1))) {
      }
      ++cancelled_;
      return ToolResult::text("stopped");
    });
    works.tasks = Tool::Tasks::optional;
    EXPECT_TRUE(server_->server.add_tool(std::move(asks)));
    EXPECT_TRUE(server_->server.add_tool(std::move(works)));
  }

  ~TasksTest() override { server_->server.shut_down(); }  // or the pool would wait for the tasks

  std::string start(const std::string& tool) {
    std::string members = R"("name":")" + tool + R"(",)";
    auto exchange = server_->modern("tools/call", tool, members, kTasksCapability);
    server_->turn_until([&] { return exchange->done; });
    EXPECT_TRUE(at(exchange->body(), "result", "_meta", "io.modelcontextprotocol/serverInfo").is_object());
    return std::string(view(at(exchange->body(), "result", "taskId").as_string()));
  }
  Json get(TestServer& server, const std::string& id) {
    auto exchange = server.modern("tasks/get", id, R"("taskId":")" + id + "\",", kTasksCapability);
    server.turn_until([&] { return exchange->done; });
    return exchange->body();
  }
  void wait_for(const std::string& id, const char* status) {
    while (at(get(*server_, id), "result", "status") != Json(status)) {
    }
  }

  std::atomic<int> cancelled_ = 0;
  SharedState shared_;
  std::unique_ptr<TestServer> server_ = std::make_unique<TestServer>(shared_);
};

TEST_F(TasksTest, ATaskThatNobodyAnswersIsForgottenAfterItsLife) {
  std::string id = start("asks");
  wait_for(id, "input_required");
  shared_.clock.advance(kTaskLife.count());
  EXPECT_EQ(at(get(*server_, id), "result", "status"), Json("input_required")) << "still in memory";
  while (at(get(*server_, id), "result", "status") == Json("input_required")) {
  }
  EXPECT_EQ(server_->server.counts().running, 0U);
}

TEST_F(TasksTest, ATaskThatWorksLongStaysVisibleElsewhere) {
  std::string id = start("works");
  TestServer other(shared_);
  for (int i = 0; i < 3; ++i) {
    shared_.clock.advance(kTaskLife.count() * 3 / 4);  // in all more than two lives
    // Until the running process has prolonged it (it looks twice a second).
    server_->turn_until([&] {
      shared_.clock.advance(kTaskLife.count() / 3);
      bool kept = !shared_.store.list("mcp.task", id, "", 1)->empty();
      shared_.clock.advance(-kTaskLife.count() / 3);
      return kept;
    });
    EXPECT_EQ(at(get(other, id), "result", "status"), Json("working"));
  }
}

TEST_F(TasksTest, AnEndingServerStopsItsTasks) {
  std::string id = start("works");
  server_->server.shut_down();
  server_->turn_until([&] { return cancelled_ == 1; });
  Json task = at(get(*server_, id), "result");
  EXPECT_EQ(at(task, "status"), Json("failed"));
  EXPECT_EQ(at(task, "error", "code"), Json(-32603));
}

TEST_F(TasksTest, AnUndeclaredExtensionIsNamedBeforeAnythingElse) {
  auto exchange = server_->modern("tasks/update", "x", R"("taskId":"x",)", "{}");
  server_->turn_until([&] { return exchange->done; });
  EXPECT_EQ(exchange->response.status, 400);
  EXPECT_EQ(at(exchange->body(), "error", "code"), Json(-32021));
}

// The report before become_task races with it unless only the I/O thread knows the task's id (run under TSan).
TEST_F(TasksTest, ProgressPrecedesTheTaskAndNeverFollowsIt) {
  auto exchange = server_->http_request(
      "POST",
      {{"Content-Type", "application/json"},
       {"MCP-Protocol-Version", "2026-07-28"},
       {"Mcp-Method", "tools/call"},
       {"Mcp-Name", "asks"}},
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"asks","_meta":{"progressToken":"p","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":)" +
          std::string(kTasksCapability) + "}}}");
  server_->turn_until([&] { return exchange->done; });
  ASSERT_EQ(exchange->messages().size(), 2U);
  EXPECT_EQ(at(exchange->messages()[1], "result", "resultType"), Json("task"));
}

// Two tokens of one team: what the call of one answers may speak of projects that the other does not see.
TEST_F(TasksTest, P3ATaskIsThereForThoseAloneWhoSeeAllThatItsOwnerSees) {
  const auto of_team = [](std::vector<std::string> projects) {
    Identity identity = full_identity("team:red");
    identity.projects = std::move(projects);
    return identity;
  };
  const Identity all = of_team({}), a = of_team({"file:///a"}), b = of_team({"file:///b"}),
                 both = of_team({"file:///a", "file:///b"});
  const auto ask = [](TestServer& server, const std::string& method, const std::string& id, const Identity& who) {
    auto exchange = server.modern(method, id, R"("taskId":")" + id + R"(","inputResponses":{},)", kTasksCapability, who);
    server.turn_until([&] { return exchange->done; });
    return exchange->body();
  };
  const auto begin = [&](const Identity& who) {
    auto exchange = server_->modern("tools/call", "works", R"("name":"works",)", kTasksCapability, who);
    server_->turn_until([&] { return exchange->done; });
    return std::string(view(at(exchange->body(), "result", "taskId").as_string()));
  };
  const std::string of_a = begin(a), of_all = begin(all);
  TestServer other(shared_);  // one that has the row alone
  for (TestServer* server : {server_.get(), &other}) {
    for (const std::string method : {"tasks/get", "tasks/update", "tasks/cancel"}) {
      const Json never = at(ask(*server, method, "never-was", b), "error");
      EXPECT_EQ(at(ask(*server, method, of_a, b), "error"), never) << method;
      EXPECT_EQ(at(ask(*server, method, of_all, a), "error"), never) << method;
      EXPECT_EQ(at(ask(*server, method, of_all, both), "error"), never) << method;
    }
    for (const Identity& who : {a, both, all})
      EXPECT_EQ(at(ask(*server, "tasks/get", of_a, who), "result", "status"), Json("working"));
    EXPECT_EQ(at(ask(*server, "tasks/get", of_all, all), "result", "status"), Json("working"));
  }
  EXPECT_EQ(cancelled_, 0);
  EXPECT_TRUE(ask(*server_, "tasks/cancel", of_a, both).as_object().contains("result"));
  server_->turn_until([&] { return cancelled_ == 1; });
}

TEST_F(TasksTest, TheNumberOfTasksIsBounded) {
  std::vector<std::shared_ptr<FakeExchange>> calls;
  for (std::size_t i = 0; i < kMaxTasks + 1; ++i)
    calls.push_back(server_->modern("tools/call", "asks", R"("name":"asks",)", kTasksCapability));
  server_->turn_until([&] { return std::ranges::all_of(calls, [](const auto& call) { return call->done; }); });
  auto refused =
      std::ranges::count_if(calls, [](const auto& call) { return at(call->body(), "result", "isError") == Json(true); });
  EXPECT_GE(refused, 1);
}

}  // namespace
}  // namespace holdfast::mcp
