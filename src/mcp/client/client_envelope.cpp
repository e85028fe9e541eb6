#include "mcp/client/client_envelope.h"

namespace holdfast::mcp {

ClientIdentity identity_of(const ClientOptions& options, const ClientHandlers& handlers) {
  ClientIdentity identity;
  identity.info = {{"name", options.name}, {"version", options.version}};
  if (!options.title.empty()) identity.info["title"] = options.title;
  JsonObject& now = identity.capabilities;
  if (handlers.sampling) {
    JsonObject sampling;
    if (handlers.samples_with_tools) sampling["tools"] = JsonObject();
    now["sampling"] = std::move(sampling);
  }
  if (handlers.elicitation) {
    JsonObject elicitation{{"form", JsonObject()}};
    if (handlers.elicits_urls) elicitation["url"] = JsonObject();
    now["elicitation"] = std::move(elicitation);
  }
  identity.legacy_capabilities = now;
  if (handlers.roots) {
    now["roots"] = JsonObject();
    identity.legacy_capabilities["roots"] = JsonObject{{"listChanged", true}};
  }
  return identity;
}

void add_envelope(JsonObject& params, const ClientIdentity& identity, Version version) {
  Json& meta = params["_meta"];
  if (!meta.is_object()) meta = JsonObject();
  JsonObject& members = meta.get_object();
  members["io.modelcontextprotocol/protocolVersion"] = name_of(version);
  members["io.modelcontextprotocol/clientInfo"] = identity.info;
  members["io.modelcontextprotocol/clientCapabilities"] = identity.capabilities;
}

std::vector<std::pair<std::string, std::string>> modern_headers(Version version, std::string_view method,
                                                                const JsonObject& params, const std::vector<HeaderRule>& rules) {
  std::vector<std::pair<std::string, std::string>> headers{{"MCP-Protocol-Version", std::string(name_of(version))},
                                                           {"Mcp-Method", std::string(method)}};
  if (const std::string_view member = named_member(method); !member.empty())
    if (const auto name = find_string(params, member)) headers.emplace_back("Mcp-Name", encode_header_value(*name));
  if (const JsonObject* arguments = find_object(params, "arguments"); arguments && !rules.empty())
    for (auto& header : param_headers(rules, *arguments)) headers.push_back(std::move(header));
  return headers;
}

}  // namespace holdfast::mcp
