#pragma once

// Which MCP servers a person has configured: the usual mcp.json (persistent-client §6, "Server definitions").
//
// Nothing here is ever shown with values of env, headers or arguments that look like credentials: describe() is what may be
// printed.

#include "base/json/json.h"
#include "base/result.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::runner {

// How to log in to an address that asks for it (`oauth`, or `auth` as some programs call it; the members are read in every usual
// spelling, and what is not known is left alone). Nothing of it is needed where servers register their clients themselves.
struct LoginDefinition {
  bool never = false;  // `"oauth": false`
  std::string client_id, client_secret;
  std::vector<std::string> scopes;
  std::string redirect_uri;  // that the client is registered with; `callbackPort` is one on this machine
};

struct ServerDefinition {
  std::string name;
  // A program …
  std::string command;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string folder;  // it starts there; "": where we are
  // … or an address.
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  LoginDefinition login;

  bool disabled = false;
  // For servers that take folders only as arguments (`rootsAt`): where in `arguments` they are put; npos at the end.
  std::optional<std::size_t> roots_at;
  std::string probe_tool;  // `rootsProbe`: a tool that says which folders the server allows
};

// "filesystem: npx -y @scope/server (2 variables)", without anything secret.
std::string describe(const ServerDefinition& server);

// One that cannot be used as it is written costs the others nothing.
struct BrokenServer {
  std::string name;  // valid UTF-8
  Error error;       // invalid, naming the server and the member
};

// Where definitions were read.
struct ServersFile {
  std::string path;           // absolute; "": nowhere
  bool from_project = false;  // it came with a project's folder (server_files.h)
};

struct ServerList {
  ServersFile file;
  std::vector<ServerDefinition> servers;  // in the file's order
  std::vector<BrokenServer> broken;
  std::string warning;  // the file cannot be read any more, and this is what it said before; "": it can
};

using Lookup = std::function<std::optional<std::string>(const std::string&)>;  // of the environment
using AllowedVariables = std::optional<std::vector<std::string>>;              // nullopt: every one
// ${NAME} and ${NAME:-default} in command, args, env, cwd, url and headers stand for variables of our environment; a definition
// that wants one which is not allowed is broken. command and cwd may begin with "~/". Errors: invalid, of the document as a
// whole.
Result<ServerList> parse_servers(std::string_view json_text, const Lookup& environment, const AllowedVariables& allowed = {});

// "name: {...}", each with everything that is written there: for whoever must judge it. Secrets and all.
Result<std::vector<std::string>> definitions_as_written(std::string_view json_text);

// Those that are asked for by name; none named: all that are enabled and sound, without ourselves. Errors: not_found, naming
// every wrong name and those there are; invalid, of one that is broken and was named, or when no other is left.
Result<std::vector<ServerDefinition>> choose_servers(const ServerList& list, const std::vector<std::string>& names);

}  // namespace holdfast::runner
