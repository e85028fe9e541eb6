#pragma once

// A server in a test: manual clock, state in memory, a loop that the test turns by hand, and HTTP without sockets.

#include "base/run/poll_loop.h"
#include "mcp/server/server.h"
#include "mcp/server/test_state_store.h"
#include "mcp/transport/test_exchange.h"
#include "mcp/transport/transport_http.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

namespace holdfast::mcp {

// State that several servers of one test share, as processes share a store.
struct SharedState {
  ManualClock clock{1'800'000'000'000};
  MemoryStateStore store{clock};
};

class TestServer {
 public:
  explicit TestServer(SharedState& shared) : TestServer(shared, shared.store) {}
  TestServer(SharedState& shared, StateStore& store) : server(options(), loop, pool, shared.clock, store), http(server) {
    EXPECT_TRUE(server.open());
  }
  ~TestServer() { pool.close(); }

  static ServerOptions options() {
    ServerOptions options;
    options.name = "test";
    options.tasks = true;
    return options;
  }

  // Turns the loop until the condition holds; a test that waits in vain fails after ten seconds.
  template <class Condition>
  void turn_until(Condition condition) {
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    std::function<void()> check = [&] {
      if (condition() || std::chrono::steady_clock::now() > deadline)
        loop.stop();
      else
        loop.after(std::chrono::milliseconds(1), [&] { check(); });
    };
    loop.post([&] { check(); });
    loop.run();
    EXPECT_TRUE(condition()) << "waited in vain";
  }

  std::shared_ptr<FakeExchange> http_request(std::string method, net::HttpHeaders headers, std::string body = {},
                                             const Identity& identity = local_identity()) {
    net::HttpRequest request;
    request.method = std::move(method);
    request.target = request.path = "/mcp";
    request.headers = std::move(headers);
    request.body = std::move(body);
    auto exchange = std::make_shared<FakeExchange>(std::move(request));
    http.handle(exchange, identity);
    return exchange;
  }

  // A legacy POST in a session (empty id: none).
  std::shared_ptr<FakeExchange> post(std::string body, const std::string& session = {},
                                     const Identity& identity = local_identity()) {
    net::HttpHeaders headers{{"Content-Type", "application/json"}, {"Accept", "application/json, text/event-stream"}};
    if (!session.empty()) headers.emplace_back("Mcp-Session-Id", session);
    return http_request("POST", std::move(headers), std::move(body), identity);
  }

  std::string initialize(const std::string& version = "2025-11-25", const std::string& capabilities = "{}") {
    auto exchange = post(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" + version +
                         R"(","capabilities":)" + capabilities + R"(,"clientInfo":{"name":"t","version":"1"}}})");
    turn_until([&] { return exchange->done; });
    for (const auto& [name, value] : exchange->response.headers)
      if (name == "Mcp-Session-Id") return value;
    ADD_FAILURE() << "no session id: " << exchange->response.body;
    return {};
  }

  static std::string envelope(const std::string& capabilities = "{}") {
    return R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":)" +
           capabilities + "}";
  }

  // A modern POST with the headers the body calls for; members: further members of params, with a comma behind.
  std::shared_ptr<FakeExchange> modern(const std::string& method, const std::string& name = {}, const std::string& members = {},
                                       const std::string& capabilities = "{}", const Identity& identity = local_identity()) {
    net::HttpHeaders headers{{"Content-Type", "application/json"},
                             {"Accept", "application/json, text/event-stream"},
                             {"MCP-Protocol-Version", "2026-07-28"},
                             {"Mcp-Method", method}};
    if (!name.empty()) headers.emplace_back("Mcp-Name", name);
    return http_request(
        "POST", std::move(headers),
        R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + members + envelope(capabilities) + "}}", identity);
  }

  PollLoop loop;
  Pool pool;
  Server server;
  HttpTransport http;
};

// What a client says it can do: be asked by form, and follow tasks besides.
inline constexpr const char* kFormsCapability = R"({"elicitation":{}})";
inline constexpr const char* kTasksCapability = R"({"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}})";

// A form with one text field, which must be filled in.
inline Question ask_for(const char* field) {
  return Question::form(
      "?",
      {{"type", "object"}, {"properties", JsonObject{{field, JsonObject{{"type", "string"}}}}}, {"required", JsonArray{field}}});
}

inline Tool simple_tool(std::string name, std::function<ToolReply(Call&)> handler, RunOn where = RunOn::pool) {
  Tool tool;
  tool.name = std::move(name);
  tool.description = "a tool of the tests";
  tool.input_schema = {{"type", "object"}};
  tool.run_on = where;
  tool.handler = std::move(handler);
  return tool;
}

// Path into a JSON value: at(value, "result", "content", 0, "text"). Null when something is missing.
inline Json at(const Json& value) {
  return value;
}
template <class... Rest>
Json at(const Json& value, int index, Rest... rest);
template <class... Rest>
Json at(const Json& value, const char* key, Rest... rest) {
  const Json* member = find(value, key);
  return member ? at(*member, rest...) : Json(nullptr);
}
template <class... Rest>
Json at(const Json& value, int index, Rest... rest) {
  const JsonArray* array = value.if_array();
  return array && static_cast<std::size_t>(index) < array->size() ? at((*array)[index], rest...) : Json(nullptr);
}

}  // namespace holdfast::mcp
