#pragma once

// The tools over documents under review (document-review §5): create_session read edit glob grep get_links search create move
// delete list_changes withdraw end_session.
//
// What they answer is text to be read, and nothing beside it; what is refused is an error result "<code>: what is wrong. What to
// do next." (§4). Arguments are checked before anything else is looked at. With read-only documents the tools that write are not
// listed, and refused when they are called; without a folder under review (design 8.35) all of them are like that.

#include "mcp/server/server.h"
#include "tools/documents/document_workspaces.h"

namespace holdfast::tools {

// The workspaces outlive the server. handle_ttl: how long an unused session lives; the descriptions say it.
Result<void> add_document_tools(mcp::Server& server, DocumentWorkspaces& workspaces, Millis handle_ttl);

}  // namespace holdfast::tools
