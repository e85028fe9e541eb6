#pragma once

// What the auth/ scenarios of the suite need besides a client: an authorizer with the settings that the scenario's context
// (MCP_CONFORMANCE_CONTEXT) prescribes, and a browser that says yes to everything.

#include "mcp/transport/transport_http_client.h"
#include "net/run/event_loop.h"

#include <memory>
#include <string>
#include <string_view>

namespace holdfast::conformance {

// context: JSON, or empty. Errors: invalid (a context that lacks something).
Result<std::shared_ptr<mcp::HttpAuthorizer>> authorizer_for(std::string_view scenario, const std::string& server_url,
                                                            std::string_view context, net::EventLoop& loop);

}  // namespace holdfast::conformance
