#pragma once

// A small server for the fuzzers: a tool that answers, one that asks, one that becomes a task; a resource, a template,
// a prompt with completion. Everything is made anew for each input, so that inputs do not depend on each other.

#include "base/run/poll_loop.h"
#include "mcp/server/server.h"
#include "mcp/server/test_state_store.h"

#include <cstdlib>
#include <thread>

namespace holdfast::mcp {

class FuzzServer {
 public:
  FuzzServer() : server(options(), loop, pool, clock, store) {
    require(server.open().has_value());
    Tool echo = tool("echo", [](Call& call) -> ToolReply { return ToolResult::text(to_json(call.arguments())); });
    echo.input_schema = parse_json(R"({"type":"object","properties":{"m":{"type":"string","x-mcp-header":"M"},
                                       "n":{"type":"integer","x-mcp-header":"N"}}})")
                            .value()
                            .as_object();
    echo.coerce_strings = true;
    echo.run_on = RunOn::io;
    require(server.add_tool(std::move(echo)).has_value());
    require(server.add_tool(tool("ask", ask)).has_value());
    Tool task = tool("task", [](Call& call) -> ToolReply {
      if (!call.become_task("working").value_or(false)) return ToolResult::text("at once");
      return ask(call);
    });
    task.tasks = Tool::Tasks::optional;
    require(server.add_tool(std::move(task)).has_value());
    server.add_resource({{"test://a", "a", {}, "a", "text/plain"}, [](Call&) -> ResourceReply {
                           return ResourceResult{{text_contents("test://a", "text/plain", "A")}, 0, true};
                         }});
    server.add_template({"test://{id}/x",
                         "t",
                         {},
                         "t",
                         {},
                         [](Call&, const std::string& uri, const Variables& v) -> std::optional<ResourceReply> {
                           return ResourceResult{{text_contents(uri, "text/plain", v.at("id"))}, 0, true};
                         }});
    server.add_prompt({"p", {}, "p", {{"a", {}, true}}, Prompt::Eras::both, [](Call&) -> PromptReply { return PromptResult{}; }});
    server.complete_prompt("p", [](const Caller&, std::string_view, std::string_view value, const JsonObject&) {
      return Completion{{std::string(value)}, {}};
    });
  }
  ~FuzzServer() {
    server.shut_down();
    pool.close();
  }

  // Lets the pool work until the condition holds, or for a moment: some requests wait for ever, and may.
  template <class Condition>
  void settle(Condition over) {
    for (int i = 0; i < 200; ++i) {
      loop.run_ready();
      if (over()) return;
      std::this_thread::yield();
    }
  }

  static void require(bool holds) {
    if (!holds) std::abort();
  }

 private:
  static ServerOptions options() {
    ServerOptions options;
    options.tasks = true;
    return options;
  }
  static Tool tool(std::string name, std::function<ToolReply(Call&)> handler) {
    Tool tool;
    tool.name = std::move(name);
    tool.description = "a tool";
    tool.handler = std::move(handler);
    return tool;
  }
  static ToolReply ask(Call& call) {
    call.progress(1, 2, "asking");
    JsonObject schema{{"type", "object"}, {"properties", JsonObject{{"x", JsonObject{{"type", "string"}}}}}};
    const Answer* answer = call.ask("a", Question::form("?", std::move(schema)));
    if (!answer) return InputRequired{};
    return ToolResult::text(answer->accepted() ? to_json(*answer->content()) : "no");
  }

  ManualClock clock{1'800'000'000'000};
  MemoryStateStore store{clock};

 public:
  PollLoop loop;
  Pool pool{2};
  Server server;
};

}  // namespace holdfast::mcp
