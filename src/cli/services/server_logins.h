#pragma once

// Logins to other people's MCP servers: where they are kept, and how a person is asked for one.

#include "cli/program/context.h"
#include "cli/services/defined_servers.h"
#include "kinds/runner/servers/connect_servers.h"

#include <string>

namespace holdfast::cli {

// mcp_json: the file that was named, for the hint of how to log in; may be empty.
runner::LoginSettings login_settings(const Context& context, Asking asking, const std::string& mcp_json);

}  // namespace holdfast::cli
