#pragma once

// The MCP server as this program offers it, the same over stdio and HTTP: tools and resources over one store.
// Lives on the executor's thread; the store, the executor and the pool outlive it, and the pool is closed
// before it is destroyed.

#include "cli/context.h"
#include "cli/expiry_sweep.h"
#include "cli/handle_sweep.h"
#include "cli/research_service.h"
#include "cli/retention_sweep.h"
#include "cli/runner_service.h"
#include "mcp/server.h"
#include "tools/confirmation.h"
#include "tools/document_desks.h"
#include "tools/mcp_state.h"
#include "tools/project_root.h"
#include "tools/reasoning_caller.h"
#include "tools/research_tool.h"
#include "tools/runner_tools.h"
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

  // Any thread: no new unit of research and no further task is begun; what runs is left to the next process.
  void ask_to_stop();
  // Any thread: runs of tasks are left where they are, to be resumed. For a client that has left: nobody waits for them.
  void interrupt_runs();
  // Asks to stop, and waits for it. Before the pool is closed.
  void stop();

 private:
  Result<void> open_reasoning();
  Result<void> open_documents();
  Result<void> open_research();
  Result<runner::Runs*> runs();
  void follow_news();
  void recover_runs();

  const Context& context_;
  session::Store& store_;
  tools::McpState state_;
  tools::ProjectRoot root_;
  session::RetentionPolicy policy_;
  tools::SessionOperations operations_;
  std::optional<tools::Confirmation> confirmation_;
  std::optional<tools::DocumentDesks> desks_;
  std::unique_ptr<ResearchService> research_;
  std::optional<tools::ResearchWorkers> workers_;
  std::optional<tools::ResearchRoom> research_room_;
  std::mutex runner_mutex_;
  std::unique_ptr<RunnerService> runner_;  // made at first use
  std::stop_source stopping_;
  tools::RunnerRoom runner_room_;
  std::unique_ptr<transcripts::Keeper> keeper_;
  tools::TranscriptToolOptions transcript_options_;
  mcp::Server server_;
  tools::ReasoningCaller reasoning_;
  ExpirySweep sweep_;
  HandleSweep handles_;
  RetentionSweep retention_;
  std::unique_ptr<tools::SessionNews> news_;  // made by a pool thread, ended after the pool
};

}  // namespace holdfast::cli
