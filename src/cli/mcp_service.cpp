#include "cli/mcp_service.h"

#include "base/log.h"
#include "cli/keeper_of_home.h"
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
      server_(server_options(), executor, pool, *context.clock, state_),
      sweep_(store, executor, pool) {}

Result<void> McpService::open() {
  HF_TRY(auto chosen, tools::read_toolsets(context_.settings.list("tools")));
  HF_CHECK(server_.open());
  tools::add_read_operations(operations_);
  tools::add_change_operations(operations_);
  if (chosen.contains("transcripts")) {
    HF_TRY(keeper_, open_keeper(context_, [this](bool) -> Result<session::Store*> { return &store_; }));
    transcript_options_.remote.environment = context_.environment;
    transcript_options_.remote.gist.api = context_.settings.text("gist.api");
    transcript_options_.archive_folder = context_.folders.data + "/archives";
    tools::add_transcript_kind(operations_, *keeper_);
  }
  if (chosen.contains("reasoning")) HF_CHECK(tools::add_session_tool(server_, store_, operations_, root_));
  if (keeper_) HF_CHECK(tools::add_transcript_tools(server_, *keeper_, root_, transcript_options_));
  tools::add_session_resources(server_, store_, operations_);
  sweep_.start();
  server_.executor().post([this] { follow_news(); });
  return {};
}

// Once the loop runs, and on the pool: it takes about as long as all the rest of the start, and the first
// answer does not need it. Without news the server still answers; clients only have to look for themselves.
void McpService::follow_news() {
  server_.pool().submit([this] {
    auto news = tools::SessionNews::follow(store_, server_);
    if (news)
      news_ = std::move(*news);
    else
      log(LogLevel::warn, "cli", "no live updates: " + news.error().message);
  });
}

}  // namespace holdfast::cli
