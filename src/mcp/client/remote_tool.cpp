#include "mcp/client/remote_tool.h"

#include "base/crypto/hash.h"
#include "base/run/log.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::mcp {

const RemoteTool* ToolList::find(std::string_view name) const {
  const auto found = std::ranges::find(tools, name, &RemoteTool::name);
  return found == tools.end() ? nullptr : &*found;
}

std::shared_ptr<ToolList> read_tools(const JsonArray& definitions, bool over_http) {
  auto list = std::make_shared<ToolList>();
  Sha256 hash;
  for (const Json& entry : definitions) {
    const JsonObject* definition = entry.if_object();
    const auto name = definition ? find_string(*definition, "name") : std::nullopt;
    if (!name || name->empty()) {
      log(LogLevel::warn, "mcp", "a server lists a tool without a name; it is left out");
      continue;
    }
    if (list->find(*name)) {
      log(LogLevel::warn, "mcp", fmt::format("a server lists the tool {} twice; the second is left out", *name));
      continue;
    }
    RemoteTool tool{std::string(*name), *definition, {}, false, false};
    if (const JsonObject* schema = find_object(*definition, "inputSchema"); schema && over_http) {
      auto rules = read_header_rules(*schema);
      if (!rules) {
        log(LogLevel::warn, "mcp", fmt::format("the tool {} is left out: {}", *name, rules.error().message));
        continue;
      }
      tool.headers = *std::move(rules);
    }
    if (const JsonObject* hints = find_object(*definition, "annotations")) {
      tool.read_only = find_bool(*hints, "readOnlyHint").value_or(false);
      tool.idempotent = find_bool(*hints, "idempotentHint").value_or(false);
    }
    hash.add(to_json(*definition));
    hash.add("\n");
    list->tools.push_back(std::move(tool));
  }
  list->hash = to_hex(hash.finish());
  return list;
}

CallError error_from_server(std::string_view method, RpcError error) {
  ErrorKind kind = ErrorKind::unavailable;
  switch (error.code) {
    case code::kMethodNotFound:
    case code::kResourceNotFoundLegacy:
      kind = ErrorKind::not_found;
      break;
    case code::kInvalidParams:
    case code::kInvalidRequest:
    case code::kParse:
    case code::kHeaderMismatch:
      kind = ErrorKind::invalid;
      break;
    case code::kMissingCapability:
    case code::kUnsupportedVersion:
      kind = ErrorKind::refused;
      break;
    default:
      break;
  }
  // An internal error may come from the middle of the work.
  const Outcome outcome = kind == ErrorKind::unavailable ? Outcome::unknown : Outcome::not_executed;
  Error ours = make_error(kind, fmt::format("{}: the server answered {} (error {})", method, error.message, error.code), {},
                          "server_error");
  return {std::move(ours), outcome, std::move(error)};
}

}  // namespace holdfast::mcp
