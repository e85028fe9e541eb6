#pragma once

// The task runner as this program runs it, the same for the server and the command: models, servers and folders as the settings
// say. It has a thread for its connections. The context outlives it.

#include "cli/program/context.h"
#include "kinds/runner/run.h"
#include "kinds/runner/servers/connect_servers.h"
#include "kinds/runner/servers/server_files.h"
#include "model/models.h"
#include "net/run/event_loop.h"

#include <memory>
#include <string>

namespace holdfast::cli {

// The MCP servers of this person, and of the project they stand in once they have agreed to it
// (kinds/runner/servers/server_files.h).
//
// Somebody at a terminal is asked; --trust agrees without a question. What was agreed to is kept in the data folder, until the
// file changes. Where nobody can be asked, the refusal says what to type.
//
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

// Logins to other people's MCP servers: where they are kept, and how a person is asked for one.
//
// mcp_json: the file that was named, for the hint of how to log in; may be empty.
runner::LoginSettings login_settings(const Context& context, Asking asking, const std::string& mcp_json);

class RunnerService {
 public:
  // mcp_json: the file of server definitions; empty: the usual places. Errors: invalid (a setting, a variable), io.
  static Result<std::unique_ptr<RunnerService>> make(const Context& context, Asking asking, const std::string& mcp_json = {});

  // Over the store as whoever asks sees it; the store and this outlive it.
  runner::Runs runs(session::Store& store) { return {store, *models_, connections_.loop(), settings_}; }

 private:
  RunnerService() = default;

  std::unique_ptr<model::Models> models_;
  net::LoopThread connections_;
  runner::RunSettings settings_;
};

}  // namespace holdfast::cli
