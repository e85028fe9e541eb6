#pragma once

// What tools that report unknown arguments instead of refusing them have in common (design 8.22).

#include "mcp/call.h"
#include "mcp/reply.h"

namespace holdfast::tools {

// `ignoredFields`, when there are any.
void add_ignored(JsonObject& state, const mcp::Call& call);
mcp::ToolResult failure_with_ignored(const Error& error, const mcp::Call& call);

}  // namespace holdfast::tools
