#pragma once

// What tools that report unknown arguments instead of refusing them have in common (design 8.22).

#include "mcp/server/call.h"
#include "mcp/wire/reply.h"
#include "operations/operation.h"

namespace holdfast::tools {

// How they call a parameter: branch_id is branchId, {session} is sessionId.
std::string argument_of(std::string_view parameter);
// What of a call's arguments are parameters of the operation.
operations::Given given_of(const operations::Operation& operation, const JsonObject& arguments);

// `ignoredFields`, when there are any; `more`: known ones that had no effect.
void add_ignored(JsonObject& state, const mcp::Call& call, const std::vector<std::string>& more = {});
// {error, message, hint}; what is invalid is `invalid_argument` unless it has a word of its own.
mcp::ToolResult failure_with_ignored(Error error, const mcp::Call& call);

}  // namespace holdfast::tools
