#pragma once

// From an MCP call to the situation the reasoning room decides by.

#include "mcp/server/server.h"
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
  ReasoningCaller(mcp::Server& server, const ProjectRoot& root, ReasoningSettings settings)
      : server_(server), root_(root), settings_(std::move(settings)) {}

  // Errors: operations::asked(), for the project.
  Result<operations::Situated> situate(mcp::Call& call, session::Store& store, operations::Situate how) const;

 private:
  reasoning::Situation situate_unread(mcp::Call& call) const;

  mcp::Server& server_;
  const ProjectRoot& root_;
  ReasoningSettings settings_;
};

}  // namespace holdfast::tools
