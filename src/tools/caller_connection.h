#pragma once

// The caller's connection as the reasoning room knows it (design 8.15). A modern request has none, also on stdio.

#include "kinds/reasoning/connections.h"
#include "mcp/server/call.h"

namespace holdfast::tools {

// A fresh one; id empty when there is none. `owner` names this process.
reasoning::Connection fresh_connection_of(const mcp::Caller& caller, const std::string& owner);
// With what is stored about it.
Result<reasoning::Connection> connection_of(const mcp::Caller& caller, session::Reader& reader, const std::string& owner);

// "name/version" of the client's program, as it says.
std::string client_name(const mcp::Caller& caller);

}  // namespace holdfast::tools
