#pragma once

// Which project a call is about (design 8.17, reasoning-sessions R1-R7): an argument, else the root bound on this connection,
// else what the client offers as MCP roots, else what the program was started with, else, on stdio, the project folder the client
// exports, else the one project that the caller's token is for. Never the working directory. Roots are canonical.

#include "kinds/reasoning/connections.h"
#include "mcp/server/call.h"
#include "operations/reasoning/situated.h"
#include "session/query/store_view.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::tools {

// R3: a client that does not answer in this time has no roots. Some declare them and never answer.
inline constexpr std::chrono::milliseconds kRootsPatience{3000};

struct ResolvedRoots {
  std::vector<std::string> roots;  // several only when the client offers several and none is bound
  std::string source = "none";     // argument, bound, mcp, configuration, environment, token, none
  std::string notice;              // a bound root has gone from the client's list (R7)

  std::optional<std::string> one() const { return roots.size() == 1 ? std::optional(roots.front()) : std::nullopt; }
};

class ProjectRoot {
 public:
  // configured: setting `root`; client_folder: CLAUDE_PROJECT_DIR; both may be empty. owner: names this process
  // (mcp::StateStore).
  ProjectRoot(const session::SharedStore& stores, std::string owner, std::string configured, std::string client_folder)
      : stores_(stores), owner_(std::move(owner)), configured_(std::move(configured)), client_folder_(std::move(client_folder)) {}

  // May ask the client, once per connection and only when no earlier source says it. Errors: operations::asked(), invalid (the
  // argument `root` is not one).
  Result<ResolvedRoots> resolve(mcp::Call& call) const;
  // The same without asking: what is known by now.
  Result<ResolvedRoots> known(const mcp::Call& call) const;
  // What the client offers, asked for if need be; keeps the answer with the connection.
  Result<operations::OfferedRoots> offered(mcp::Call& call, reasoning::Connection& connection) const;
  // The client says that its list has changed: it is asked again when needed.
  Result<void> forget_offered(const mcp::Caller& caller) const;

  const std::string& owner() const { return owner_; }

 private:
  Result<ResolvedRoots> choose(const mcp::Call& call, const reasoning::Connection& connection) const;

  const session::SharedStore& stores_;
  std::string owner_, configured_, client_folder_;
};

}  // namespace holdfast::tools
