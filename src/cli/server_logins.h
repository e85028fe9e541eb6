#pragma once

// Logins to other people's MCP servers: where they are kept, and how a person is asked for one.

#include "cli/context.h"
#include "runner/connect_servers.h"
#include "runner/server_definitions.h"

#include <string>

namespace holdfast::cli {

// Whom a server that wants a login may be shown to.
enum class Asking {
  nobody,         // a server process: what is kept is used and renewed, and that is all
  who_is_there,   // whoever sits at the terminal; without one, or with --json, as nobody
  who_has_asked,  // somebody who said that they want to log in: the address is shown wherever that may be
};

// mcp_json: the file that was named, for the hint of how to log in; may be empty.
runner::LoginSettings login_settings(const Context& context, Asking asking, const std::string& mcp_json);

// Where MCP servers are defined: the named file, else the usual places as seen from `base`.
Result<runner::ServerList> defined_servers(const Environment& environment, const std::string& base, const std::string& file);
// Where relative names begin, and tasks that name no folder work. Errors: io.
Result<std::string> base_folder(const Environment& environment);

}  // namespace holdfast::cli
