#include "cli/mcp_service.h"

#include "tools/core_operations.h"
#include "tools/session_tools.h"
#include "tools/toolsets.h"

namespace holdfast::cli {

namespace {

mcp::ServerOptions server_options() {
  mcp::ServerOptions options;
  options.name = "holdfast";
  options.title = "holdfast";
  options.version = HOLDFAST_VERSION;
  options.instructions =
      "Durable sessions that outlive the connection. Use the session tool to find, read and organise earlier work; "
      "every session is named by its id, and nothing depends on an earlier call of this connection.";
  return options;
}

}  // namespace

McpService::McpService(const Context& context, session::Store& store, Executor& executor, Pool& pool)
    : context_(context),
      store_(store),
      state_(store),
      root_(context.settings.text("root"), process_environment()("CLAUDE_PROJECT_DIR").value_or("")),
      server_(server_options(), executor, pool, *context.clock, state_) {}

Result<void> McpService::open() {
  HF_TRY(auto chosen, tools::read_toolsets(context_.settings.list("tools")));
  HF_CHECK(server_.open());
  tools::add_read_operations(operations_);
  tools::add_change_operations(operations_);
  if (chosen.contains("reasoning")) HF_CHECK(tools::add_session_tool(server_, store_, operations_, root_));
  tools::add_session_resources(server_, store_, operations_);
  return {};
}

}  // namespace holdfast::cli
