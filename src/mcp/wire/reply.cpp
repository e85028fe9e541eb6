#include "mcp/wire/reply.h"

namespace holdfast::mcp {

JsonObject text_block(std::string_view text) {
  return {{"type", "text"}, {"text", text}};
}

JsonObject resource_block(JsonObject contents) {
  return {{"type", "resource"}, {"resource", std::move(contents)}};
}

JsonObject text_contents(std::string_view uri, std::string_view mime_type, std::string_view text) {
  return {{"uri", uri}, {"mimeType", mime_type}, {"text", text}};
}

ToolResult ToolResult::text(std::string_view text) {
  ToolResult result;
  result.content.push_back(text_block(text));
  return result;
}

ToolResult ToolResult::failure(std::string_view text) {
  ToolResult result = ToolResult::text(text);
  result.is_error = true;
  return result;
}

ToolResult ToolResult::state(JsonObject state, std::string_view summary) {
  ToolResult result;
  if (!summary.empty()) {
    result.content.push_back(text_block(summary));
    state["summary"] = summary;
  }
  result.content.push_back(text_block(to_json(state)));
  result.structured = std::move(state);
  return result;
}

ToolResult ToolResult::failure(const Error& error) {
  JsonObject state{{"error", error.word()}, {"message", error.message}};
  if (!error.hint.empty()) state["hint"] = error.hint;
  ToolResult result = ToolResult::state(std::move(state));
  result.is_error = true;
  return result;
}

JsonObject PromptResult::message(std::string_view role, JsonObject content) {
  return {{"role", role}, {"content", std::move(content)}};
}

}  // namespace holdfast::mcp
