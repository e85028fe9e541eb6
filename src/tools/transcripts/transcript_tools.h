#pragma once

// The tools over transcripts of coding assistants (transcript-archive §3): save_current_session, restore_session, clone_session,
// delete_session, move_session, session_lineage, get_session_info, save_session_to_gist; and those that find sessions (§10):
// search_sessions, list_recent_sessions, get_session_detail.
//
// They work on the files of the user who runs this program, so only that user may call them: on stdio, or as principal `local`.
// Nothing is ever launched, and the session that is calling is neither deleted nor moved. Another principal searches and lists
// its own sessions of the store alone.

#include "mcp/server/server.h"
#include "tools/call_context.h"
#include "tools/session/session_operations.h"

namespace holdfast::tools {

// Everything passed by reference must outlive the server.
Result<void> add_transcript_tools(mcp::Server& server, const session::SharedStore& stores, const CallRoom& room);

// The kind `transcript` of the `session` tool: found and listed on disk, never in the store (design 8.2, 8.3, 8.6).
void add_transcript_kind(SessionOperations& operations, const transcripts::Keeper& keeper);

}  // namespace holdfast::tools
