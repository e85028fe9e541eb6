#pragma once

// What handlers return.

#include "base/json/json.h"
#include "mcp/wire/rpc.h"

#include <optional>
#include <string>
#include <variant>

namespace holdfast::mcp {

// Content blocks.
JsonObject text_block(std::string_view text);
JsonObject resource_block(JsonObject contents);
// ResourceContents.
JsonObject text_contents(std::string_view uri, std::string_view mime_type, std::string_view text);

// The handler has put questions (Call::ask) that are not answered yet; it will be run again.
struct InputRequired {};

struct ToolResult {
  JsonArray content;
  std::optional<Json> structured;
  bool is_error = false;
  JsonObject meta;

  static ToolResult text(std::string_view text);
  static ToolResult failure(std::string_view text);
  // State: the same JSON as text and as structuredContent (design §4). A summary becomes a text block
  // of its own in front, and stands in the JSON too (design 8.21).
  static ToolResult state(JsonObject state, std::string_view summary = {});
  // {error, message, hint} with isError: what went wrong and what to do next.
  static ToolResult failure(const Error& error);
};

template <class T>
using Reply = std::variant<T, RpcError, InputRequired>;

using ToolReply = Reply<ToolResult>;

struct ResourceResult {
  JsonArray contents;
  std::int64_t ttl_ms = 0;  // how long the modern era may cache it
  bool shared = false;      // cacheScope public: the same for everyone
};
using ResourceReply = Reply<ResourceResult>;

struct PromptResult {
  std::string description;
  JsonArray messages;

  static JsonObject message(std::string_view role, JsonObject content);
};
using PromptReply = Reply<PromptResult>;

}  // namespace holdfast::mcp
