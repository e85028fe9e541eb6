#pragma once

// Which project a call is about (design 8.17): an argument, else what the program was started with, else, on
// stdio, the project folder the client exports. Never the working directory. The result is canonical.

#include "mcp/call.h"

#include <optional>
#include <string>

namespace holdfast::tools {

class ProjectRoot {
 public:
  // configured: setting `root`; client_folder: CLAUDE_PROJECT_DIR. Both may be empty.
  ProjectRoot(std::string configured, std::string client_folder)
      : configured_(std::move(configured)), client_folder_(std::move(client_folder)) {}

  // nullopt: no root. invalid when the argument `root` is not one.
  Result<std::optional<std::string>> resolve(const mcp::Call& call) const;

 private:
  std::string configured_, client_folder_;
};

}  // namespace holdfast::tools
