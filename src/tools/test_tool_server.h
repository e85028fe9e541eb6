#pragma once

// Tools over the real engine and a real store, called as a modern client would, for tests.

#include "base/files/test_folder.h"
#include "base/run/poll_loop.h"
#include "mcp/server/server.h"
#include "mcp/server/test_state_store.h"
#include "session/life/retention.h"
#include "store/open.h"
#include "tools/call_context.h"
#include "tools/session/confirmation.h"
#include "tools/session/session_operations.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace holdfast::tools {

// Keeps the answer and ends the loop's turn.
class CaughtAnswer final : public mcp::Outlet {
 public:
  explicit CaughtAnswer(PollLoop& loop) : loop_(loop) {}
  void send(std::string message) override { sent.push_back(std::move(message)); }
  void finish(std::string response, int) override {
    answer = parse_json(response).value().as_object();
    loop_.stop();
  }
  void drop() override { loop_.stop(); }

  JsonObject answer;
  std::vector<std::string> sent;

 private:
  PollLoop& loop_;
};

inline mcp::Caller caller_of(std::string principal = "local") {
  mcp::Caller caller;
  static_cast<Identity&>(caller) = full_identity(std::move(principal));
  return caller;
}

struct ToolServer {
  static constexpr Millis kStart = 1'800'000'000'000;

  ~ToolServer() { pool.close(); }

  static std::unique_ptr<session::Store> open_test_store(const std::string& path, std::shared_ptr<ManualClock> clock) {
    store::OpenOptions options;
    options.clock = std::move(clock);
    options.due = session::due_rule({});
    return store::open_store("sqlite:" + path, options).value();
  }

  void add_core_operations() { operations.add_core(); }

  JsonObject request(std::string method, JsonObject params, const mcp::Caller& from = caller_of()) {
    mcp::Message message;
    message.kind = mcp::Message::Kind::request;
    message.id = 1;
    message.method = std::move(method);
    message.params = std::move(params);
    auto caught = std::make_shared<CaughtAnswer>(loop);
    server.handle_modern(std::move(message), std::make_shared<mcp::Caller>(from), nullptr, caught);
    while (caught->answer.empty()) loop.run();  // a stop from an earlier answer may still be pending
    return caught->answer;
  }

  // The result of tools/call.
  JsonObject call_tool(std::string_view tool, JsonObject arguments, const mcp::Caller& from = caller_of(),
                       JsonObject further = {}) {
    JsonObject params = std::move(further);
    params["name"] = tool;
    params["arguments"] = std::move(arguments);
    const JsonObject answer = request("tools/call", std::move(params), from);
    const JsonObject* result = find_object(answer, "result");
    if (!result) {
      ADD_FAILURE() << to_json(answer);
      return {};
    }
    return *result;
  }

  TestFolder folder;
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(kStart);
  std::unique_ptr<session::Store> store = open_test_store(folder / "store.db", clock);
  session::SharedStore stores{*store};
  PollLoop loop;
  Pool pool{2};
  mcp::MemoryStateStore protocol_state{*clock};
  session::RetentionPolicy policy;
  SessionOperations operations{policy};
  GateSettings gate;
  Confirmation confirmation{stores, policy, gate};
  ProjectRoot root{stores, "test", "", ""};
  CallRoom calls{.root = root, .policy = policy, .clock = *clock, .confirmation = &confirmation, .stores = &stores};
  mcp::Server server{server_options(), loop, pool, *clock, protocol_state};

 private:
  static mcp::ServerOptions server_options() {
    mcp::ServerOptions options;
    options.tasks = true;
    return options;
  }
};

// A caller that can show forms.
inline mcp::Caller form_caller(std::string principal = "local") {
  mcp::Caller caller = caller_of(std::move(principal));
  caller.capabilities = {{"elicitation", JsonObject{{"form", JsonObject{}}}}};
  return caller;
}

}  // namespace holdfast::tools
