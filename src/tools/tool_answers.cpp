#include "tools/tool_answers.h"

namespace holdfast::tools {

void add_ignored(JsonObject& state, const mcp::Call& call, const std::vector<std::string>& more) {
  if (call.ignored_arguments().empty() && more.empty()) return;
  JsonArray ignored;
  for (const std::string& name : call.ignored_arguments()) ignored.emplace_back(name);
  for (const std::string& name : more) ignored.emplace_back(name);
  state["ignoredFields"] = std::move(ignored);
}

mcp::ToolResult failure_with_ignored(Error error, const mcp::Call& call) {
  if (error.kind == ErrorKind::invalid && error.code.empty()) error.code = "invalid_argument";
  if (error.kind == ErrorKind::invalid && error.hint.empty()) error.hint = "nothing was changed; correct it and call again";
  mcp::ToolResult failure = mcp::ToolResult::failure(error);
  if (call.ignored_arguments().empty()) return failure;
  JsonObject state = failure.structured->as_object();
  add_ignored(state, call);
  failure = mcp::ToolResult::state(std::move(state));
  failure.is_error = true;
  return failure;
}

}  // namespace holdfast::tools
