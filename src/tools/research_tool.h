#pragma once

// The tool `research`: threads and deep research (threads-and-research §1). `action` says what; each action takes its own
// arguments and answers in one envelope, {success, data, error, notices, meta}, as text and as structuredContent. Everything that
// is wrong with the arguments is said at once.

#include "mcp/server.h"
#include "research/run.h"
#include "threads/threads.h"
#include "tools/confirmation.h"
#include "tools/project_root.h"
#include "tools/research_workers.h"
#include "tools/session_operations.h"

namespace holdfast::tools {

// What the actions work with; everything outlives the server.
struct ResearchRoom {
  session::Store& store;
  threads::Threads& threads;
  research::Research& research;
  model::Models& models;  // for the questions before a run
  ResearchWorkers& workers;
  const Confirmation& confirmation;
  const SessionOperations& operations;  // how items of lists look
  const ProjectRoot& root;
  const Clock& clock;
  std::chrono::milliseconds wait_timeout{60'000};  // research.wait_timeout_s
};

Result<void> add_research_tool(mcp::Server& server, const ResearchRoom& room);

}  // namespace holdfast::tools
