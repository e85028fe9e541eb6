#pragma once

// Notices, as MCP clients meet them (threads-and-research §6): with the next result of `session` or `research`, by the operations
// notices and notices-ack, and as the resource holdfast://notices.

#include "mcp/server/server.h"
#include "session/life/notices.h"
#include "tools/call_context.h"

namespace holdfast::tools {

inline constexpr std::string_view kNoticesUri = "holdfast://notices";

// Those that are due to be shown to this principal now; they count as shown afterwards.
struct DueNotices {
  JsonArray notices;
  std::size_t more = 0;
  std::string text;  // for a person; empty when there are none
};
// Never fails a call: what cannot be read now is shown with the next result.
DueNotices take_due_notices(session::Store& store, const std::string& principal, Millis now);
// A text block for the user, in front of the others; nothing when there is no notice.
void add_notice_block(mcp::ToolResult& result, const DueNotices& due);

void add_notice_resource(mcp::Server& server, const session::SharedStore& stores, const CallRoom& room);

}  // namespace holdfast::tools
