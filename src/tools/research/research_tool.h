#pragma once

// The tool `research`: threads and deep research (threads-and-research §1). `action` says what; each action takes its own
// arguments and answers in one envelope, {success, data, error, notices, meta}, as text and as structuredContent. Everything that
// is wrong with the arguments is said at once.

#include "kinds/research/run/run.h"
#include "kinds/threads/threads.h"
#include "mcp/server/server.h"
#include "tools/project_root.h"
#include "tools/research/conversation_operations.h"
#include "tools/research/research_workers.h"
#include "tools/session/confirmation.h"
#include "tools/session/session_operations.h"

namespace holdfast::tools {

// What the actions of one call work with: threads and research over what its caller may see.
struct ResearchRoom {
  session::Store& store;  // as the caller sees it
  const session::SharedStore& stores;
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

// What is the same for all calls; everything outlives the server.
struct ResearchRooms {
  const session::SharedStore& stores;
  OpenConversations open;
  model::Models& models;
  ResearchWorkers& workers;
  const Confirmation& confirmation;
  const SessionOperations& operations;
  const ProjectRoot& root;
  const Clock& clock;
  std::chrono::milliseconds wait_timeout{60'000};
};

// The room of one caller, there as long as this is.
class CallersRoom {
 public:
  CallersRoom(const ResearchRooms& rooms, const Identity& who);
  const ResearchRoom& room() const { return room_; }

 private:
  session::StoreView store_;
  Conversations conversations_;
  ResearchRoom room_;
};

Result<void> add_research_tool(mcp::Server& server, const ResearchRooms& rooms);

}  // namespace holdfast::tools
