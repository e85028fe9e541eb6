#pragma once

// From an MCP call to the situation the reasoning room decides by.

#include "kinds/reasoning/connections.h"
#include "mcp/server/server.h"
#include "session/query/store_view.h"
#include "tools/project_root.h"

namespace holdfast::tools {

struct ReasoningSettings {
  bool auto_attach = true;
  Millis attach_window = reasoning::kAttachWindow;
  std::string agent_id, agent_name;  // author of thoughts that name none
};

// Everything it refers to outlives it. Any pool thread.
class ReasoningCaller {
 public:
  ReasoningCaller(const session::SharedStore& stores, mcp::Server& server, const ProjectRoot& root, ReasoningSettings settings)
      : stores_(stores), server_(server), root_(root), settings_(std::move(settings)) {}

  struct Situated {
    reasoning::Situation situation;
    std::string root_source;  // as ResolvedRoots; empty when the root was not asked for
    bool input_required = false;
    std::string notice;
  };
  // with_root: resolves the project, which may ask the client. with_presence: also finds out which other connections are there,
  // for the rule that a session in use is not taken (A2).
  Result<Situated> situate(mcp::Call& call, bool with_root, bool with_presence = false) const;
  // Without a root, and without reading what is stored about the connection: for append_if_open.
  reasoning::Situation situate_unread(mcp::Call& call) const;

  session::StoreView store_of(const mcp::Call& call) const { return {stores_, call.caller()}; }
  const ProjectRoot& root() const { return root_; }
  Millis now() const { return server_.clock().now(); }

 private:
  const session::SharedStore& stores_;
  mcp::Server& server_;
  const ProjectRoot& root_;
  ReasoningSettings settings_;
};

}  // namespace holdfast::tools
