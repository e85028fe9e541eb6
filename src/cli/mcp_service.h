#pragma once

// The MCP server as this program offers it, the same over stdio and HTTP: tools and resources over one store.
// Lives on the executor's thread; the store, the executor and the pool outlive it, and the pool is closed
// before it is destroyed.

#include "cli/context.h"
#include "cli/expiry_sweep.h"
#include "mcp/server.h"
#include "tools/mcp_state.h"
#include "tools/project_root.h"
#include "tools/session_news.h"
#include "tools/session_operations.h"
#include "tools/transcript_tools.h"

namespace holdfast::cli {

class McpService {
 public:
  McpService(const Context& context, session::Store& store, Executor& executor, Pool& pool);

  // Before serving; blocks. Errors: invalid (an unknown toolset), those of the store.
  Result<void> open();

  mcp::Server& server() { return server_; }

 private:
  void follow_news();

  const Context& context_;
  session::Store& store_;
  tools::McpState state_;
  tools::ProjectRoot root_;
  tools::SessionOperations operations_;
  std::unique_ptr<transcripts::Keeper> keeper_;
  tools::TranscriptToolOptions transcript_options_;
  mcp::Server server_;
  ExpirySweep sweep_;
  std::unique_ptr<tools::SessionNews> news_;  // made by a pool thread, ended after the pool
};

}  // namespace holdfast::cli
