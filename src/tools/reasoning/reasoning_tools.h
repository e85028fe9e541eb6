#pragma once

// The tools init and thought, and the prompts that continue a project (reasoning-sessions §2).

#include "mcp/server/server.h"
#include "tools/call_context.h"

namespace holdfast::tools {

// All of it outlives the server.
Result<void> add_init_tool(mcp::Server& server, const session::SharedStore& stores, const CallRoom& room);
Result<void> add_thought_tool(mcp::Server& server, const session::SharedStore& stores, const CallRoom& room);
void add_reasoning_prompts(mcp::Server& server, const session::SharedStore& stores, const CallRoom& room);

// How to think with branches and revisions, as markdown: the resource holdfast://guides/thinking, and includeGuide of `thought`.
inline constexpr std::string_view kGuideUri = "holdfast://guides/thinking";
std::string_view thinking_guide();

}  // namespace holdfast::tools
