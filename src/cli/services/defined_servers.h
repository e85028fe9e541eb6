#pragma once

// The MCP servers of this person, and of the project they stand in once they have agreed to it
// (kinds/runner/servers/server_files.h).
//
// Somebody at a terminal is asked; --trust agrees without a question. What was agreed to is kept in the data folder, until the
// file changes. Where nobody can be asked, the refusal says what to type.

#include "cli/program/context.h"
#include "kinds/runner/servers/server_files.h"

#include <string>

namespace holdfast::cli {

// Who may be asked something about a server.
enum class Asking {
  nobody,         // a server process, or work that is under way
  who_is_there,   // whoever sits at the terminal; without one, or with --json, as nobody
  who_has_asked,  // somebody who said what they want to do with it: a login is shown wherever that may be
};
// Whether anybody could answer.
bool may_ask(const Context& context, Asking asking);

// mcp_json: the file that was named; "": the usual places. remembered: of the run that goes on. The context outlives it. Errors:
// io.
Result<runner::ServerPlaces> server_places(const Context& context, Asking asking, const std::string& mcp_json,
                                           const runner::ServersFile& remembered);
// Errors: also those of find_servers.
Result<runner::ServerList> defined_servers(const Context& context, Asking asking, const std::string& mcp_json,
                                           const runner::ServersFile& remembered = {});
// Where relative names begin, and tasks that name no folder work. Errors: io.
Result<std::string> base_folder(const Environment& environment);

}  // namespace holdfast::cli
