#pragma once

// What MCP clients see of sessions of every kind: the `session` tool, holdfast://sessions and
// holdfast://sessions/{id}. A caller sees and changes only what belongs to its principal.

#include "mcp/server/server.h"
#include "tools/call_context.h"
#include "tools/session/session_operations.h"

namespace holdfast::tools {

inline constexpr std::string_view kSessionsUri = "holdfast://sessions";

// Everything passed by reference must outlive the server. Errors: invalid, when a kind declared an argument
// whose schema is none.
Result<void> add_session_tool(mcp::Server& server, const session::SharedStore& stores, const SessionOperations& operations,
                              const CallRoom& room);
void add_session_resources(mcp::Server& server, const session::SharedStore& stores, const SessionOperations& operations,
                           const CallRoom& room);

}  // namespace holdfast::tools
