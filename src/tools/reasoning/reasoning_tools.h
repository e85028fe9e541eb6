#pragma once

// The tools init and thought, what `session` can do with reasoning sessions, and the prompts that continue a project
// (reasoning-sessions §2).

#include "mcp/server/server.h"
#include "tools/reasoning/reasoning_caller.h"
#include "tools/session/session_operations.h"

namespace holdfast::tools {

// The caller and what it refers to outlive the server.
Result<void> add_init_tool(mcp::Server& server, const ReasoningCaller& caller);
Result<void> add_thought_tool(mcp::Server& server, const ReasoningCaller& caller);
// resume, resume_latest, read_thoughts, get_structure, query_thoughts, export, analyze, close, stitch, link_root, unlink_root,
// brief, graph, and this kind's own get and update.
void add_reasoning_operations(SessionOperations& operations, const ReasoningCaller& caller);
void add_reasoning_prompts(mcp::Server& server, const ReasoningCaller& caller);

// How to think with branches and revisions, as markdown: the resource holdfast://guides/thinking, and includeGuide of `thought`.
inline constexpr std::string_view kGuideUri = "holdfast://guides/thinking";
std::string_view thinking_guide();

}  // namespace holdfast::tools
