// holdfast-conformance-client URL
//
// The client that the public conformance suite starts, once for each scenario. It connects, does what the scenario
// (MCP_CONFORMANCE_SCENARIO) is about with the same calls that any user of the client has, and ends with 0 when all of
// that worked. What it did is judged by the server it talks to.

#include "authorization.h"
#include "mcp/client/blocking_client.h"
#include "mcp/transport/transport_http_client.h"
#include "net/run/event_loop.h"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

using namespace holdfast;

namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

template <class T>
Result<T> plain(mcp::CallResult<T> result) {
  if (!result) return fail(std::move(result).error().error);
  return *std::move(result);
}

Result<void> call(mcp::BlockingClient& client, std::string tool, JsonObject arguments) {
  HF_TRY(const JsonObject result, plain(client.call_tool(tool, std::move(arguments))));
  std::fprintf(stderr, "%s: %s\n", tool.c_str(), to_json(result).c_str());
  return {};
}

// A value for each property that a schema requires, so that any tool can be called.
JsonObject sample_arguments(const JsonObject& definition) {
  JsonObject arguments;
  const JsonObject* schema = find_object(definition, "inputSchema");
  const JsonObject* properties = schema ? find_object(*schema, "properties") : nullptr;
  const JsonArray* required = schema ? find_array(*schema, "required") : nullptr;
  if (!properties || !required) return arguments;
  for (const Json& name : *required) {
    const Json* property = name.is_string() ? properties->if_contains(name.get_string()) : nullptr;
    const auto type = property && property->is_object() ? find_string(property->get_object(), "type") : std::nullopt;
    Json& value = arguments[name.as_string()];
    if (type == "integer" || type == "number")
      value = 1;
    else if (type == "boolean")
      value = true;
    else
      value = "sample";
  }
  return arguments;
}

Result<void> list_tools(mcp::BlockingClient& client) {
  HF_TRY(const auto tools, plain(client.tools()));
  for (const mcp::RemoteTool& tool : tools->tools) std::fprintf(stderr, "tool %s\n", tool.name.c_str());
  return {};
}

Result<void> call_all_tools(mcp::BlockingClient& client) {
  HF_TRY(const auto tools, plain(client.tools()));
  for (const mcp::RemoteTool& tool : tools->tools) HF_CHECK(call(client, tool.name, sample_arguments(tool.definition)));
  return {};
}

Result<void> use_everything(mcp::BlockingClient& client) {
  HF_CHECK(call_all_tools(client));
  HF_TRY(const JsonArray resources, plain(client.resources()));
  for (const Json& resource : resources) {
    HF_TRY(std::ignore, plain(client.read_resource(std::string(view(resource.at("uri").as_string())))));
  }
  HF_TRY(const JsonArray prompts, plain(client.prompts()));
  for (const Json& prompt : prompts) {
    HF_TRY(std::ignore, plain(client.get_prompt(std::string(view(prompt.at("name").as_string())), {})));
  }
  return {};
}

// The calls that the suite prescribes: MCP_CONFORMANCE_CONTEXT = {"toolCalls": [{"name", "arguments"}]}.
Result<void> call_as_told(mcp::BlockingClient& client) {
  HF_CHECK(list_tools(client));
  HF_TRY(const Json context, parse_json(environment("MCP_CONFORMANCE_CONTEXT")));
  const JsonArray* calls = context.is_object() ? find_array(context.get_object(), "toolCalls") : nullptr;
  if (!calls) return fail(ErrorKind::invalid, "the suite names no calls: MCP_CONFORMANCE_CONTEXT");
  for (const Json& one : *calls)
    HF_CHECK(call(client, std::string(view(one.at("name").as_string())), one.at("arguments").as_object()));
  return {};
}

Result<void> call_with_rounds(mcp::BlockingClient& client) {
  HF_CHECK(list_tools(client));
  for (const char* tool : {"test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"})
    HF_CHECK(call(client, tool, {}));
  return {};
}

Result<void> echo_schema(mcp::BlockingClient& client) {
  HF_TRY(const auto tools, plain(client.tools()));
  const mcp::RemoteTool* tool = tools->find("json_schema_2020_12_tool");
  const Json* schema = tool ? tool->definition.if_contains("inputSchema") : nullptr;
  if (!schema) return fail(ErrorKind::not_found, "the server has no json_schema_2020_12_tool");
  return call(client, "json_schema_echo", {{"schema", *schema}});
}

Result<void> list_and_call(mcp::BlockingClient& client, const char* tool, JsonObject arguments) {
  HF_CHECK(list_tools(client));
  return call(client, tool, std::move(arguments));
}

using Scenario = std::function<Result<void>(mcp::BlockingClient&)>;

Scenario scenario_named(std::string_view name) {
  const auto tool = [](const char* tool_name, JsonObject arguments = {}) -> Scenario {
    return [=](mcp::BlockingClient& client) { return list_and_call(client, tool_name, arguments); };
  };
  static const std::map<std::string_view, Scenario> kScenarios = {
      {"initialize", list_tools},
      {"tools_call", tool("add_numbers", {{"a", 5}, {"b", 3}})},
      {"elicitation-sep1034-client-defaults", tool("test_client_elicitation_defaults")},
      {"sse-retry", tool("test_reconnection")},
      {"request-metadata", list_tools},
      {"http-standard-headers", use_everything},
      {"http-custom-headers", call_as_told},
      {"http-invalid-tool-headers", call_all_tools},
      {"sep-2322-client-request-state", call_with_rounds},
      {"json-schema-ref-no-deref", list_tools},
      {"json-schema-2020-12-preservation", echo_schema},
  };
  if (name.starts_with("auth/")) return tool("test-tool");
  const auto found = kScenarios.find(name);
  return found == kScenarios.end() ? Scenario() : found->second;
}

mcp::ClientHandlers handlers() {
  mcp::ClientHandlers handlers;
  handlers.roots = [](const JsonObject&, auto answer) { answer(JsonObject{{"roots", JsonArray()}}); };
  // Says yes and fills in nothing but what has no default: the client adds those.
  handlers.elicitation = [](const JsonObject& params, auto answer) {
    JsonObject content;
    const JsonObject* schema = find_object(params, "requestedSchema");
    const JsonObject* properties = schema ? find_object(*schema, "properties") : nullptr;
    for (const auto& property : properties ? *properties : JsonObject())
      if (!find(property.value(), "default"))
        content[property.key()] =
            find(property.value(), "type") && property.value().at("type") == Json("boolean") ? Json(true) : Json("yes");
    answer(JsonObject{{"action", "accept"}, {"content", std::move(content)}});
  };
  handlers.sampling = [](const JsonObject&, auto answer) {
    answer(JsonObject{{"role", "assistant"}, {"model", "none"}, {"content", JsonObject{{"type", "text"}, {"text", "yes"}}}});
  };
  return handlers;
}

int complain(const std::string& message) {
  std::fprintf(stderr, "holdfast-conformance-client: %s\n", message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return complain("usage: holdfast-conformance-client URL");
  const std::string name(environment("MCP_CONFORMANCE_SCENARIO"));
  const Scenario scenario = scenario_named(name);
  if (!scenario) return complain("no such scenario: \"" + name + "\" (MCP_CONFORMANCE_SCENARIO)");
  mcp::ClientOptions options;
  options.name = "holdfast-conformance-client";
  options.version = HOLDFAST_VERSION;
  net::LoopThread thread;
  mcp::HttpEndpoint endpoint{argv[1], {}, true};
  if (name.starts_with("auth/")) {
    auto authorizer = conformance::authorizer_for(name, argv[1], environment("MCP_CONFORMANCE_CONTEXT"), thread.loop());
    if (!authorizer) return complain(authorizer.error().message);
    endpoint.authorizer = *std::move(authorizer);
  }
  mcp::BlockingClient client(thread.loop(), options, handlers(), mcp::http_transport_maker(thread.loop(), std::move(endpoint)));
  if (auto done = scenario(client); !done) return complain(done.error().message);
  return 0;
}
