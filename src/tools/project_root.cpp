#include "tools/project_root.h"

#include "base/uri.h"

namespace holdfast::tools {

Result<std::optional<std::string>> ProjectRoot::resolve(const mcp::Call& call) const {
  if (auto argument = find_string(call.arguments(), "root")) {
    auto root = canonical_root(*argument);
    if (!root) return fail(std::move(root).error().within("root"));
    return std::move(*root);
  }
  if (!configured_.empty()) {
    HF_TRY(std::string root, canonical_root(configured_));
    return root;
  }
  if (call.caller().transport == mcp::Transport::stdio && !client_folder_.empty())
    if (auto root = canonical_root(client_folder_)) return std::move(*root);
  return std::nullopt;
}

}  // namespace holdfast::tools
