#include "fixture.h"

namespace holdfast::conformance {

using namespace mcp;
using std::chrono::milliseconds;

JsonObject object_schema(JsonObject properties, JsonArray required) {
  JsonObject schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

namespace {

Tool plain(std::string name, std::string description, std::function<ToolReply(Call&)> handler) {
  Tool tool;
  tool.name = std::move(name);
  tool.description = std::move(description);
  tool.input_schema = object_schema();
  tool.handler = std::move(handler);
  tool.run_on = RunOn::io;
  return tool;
}

ToolResult blocks(JsonArray content) {
  ToolResult result;
  result.content = std::move(content);
  return result;
}

ToolReply count_up(Call& call) {
  for (double step : {0.0, 50.0, 100.0}) {
    call.progress(step, 100.0);
    if (!call.wait_for(milliseconds(50))) return ToolResult::failure("cancelled");
  }
  return ToolResult::text("Progress is complete.");
}

ToolReply log_thrice(Call& call) {
  for (const char* text : {"Tool execution started", "Tool processing data", "Tool execution completed"}) {
    call.log(Severity::info, "conformance", text);
    if (!call.wait_for(milliseconds(50))) return ToolResult::failure("cancelled");
  }
  return ToolResult::text("Three messages were logged.");
}

ToolReply come_back_later(Call& call) {
  call.release_connection();
  if (!call.wait_for(milliseconds(100))) return ToolResult::failure("cancelled");
  return ToolResult::text("Reconnection test completed successfully.");
}

JsonObject schema_2020_12() {
  auto parsed = parse_json(R"({
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"$anchor": "addressDef", "type": "object",
      "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
      "contactMethod": {"type": "string", "enum": ["phone", "email"]},
      "phone": {"type": "string"}, "email": {"type": "string"}},
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": false
  })");
  return parsed->get_object();
}

}  // namespace

Result<void> add_content_tools(Server& server) {
  // The first tool listed is called without arguments by http-header-validation.
  HF_CHECK(server.add_tool(plain("test_simple_text", "Answers one text", [](Call&) -> ToolReply {
    return ToolResult::text("This is a simple text response for testing.");
  })));
  HF_CHECK(server.add_tool(plain("test_image_content", "Answers an image",
                                 [](Call&) -> ToolReply { return blocks({image_block(kPng, "image/png")}); })));
  HF_CHECK(server.add_tool(plain("test_audio_content", "Answers a sound",
                                 [](Call&) -> ToolReply { return blocks({audio_block(kWav, "audio/wav")}); })));
  HF_CHECK(server.add_tool(plain("test_embedded_resource", "Answers a resource", [](Call&) -> ToolReply {
    return blocks(
        {resource_block(text_contents("test://embedded-resource", "text/plain", "This is an embedded resource content."))});
  })));
  HF_CHECK(server.add_tool(plain("test_multiple_content_types", "Answers text, image and resource", [](Call&) -> ToolReply {
    return blocks(
        {text_block("Multiple content types test:"), image_block(kPng, "image/png"),
         resource_block(text_contents("test://mixed-content-resource", "application/json", R"({"test":"data","value":123})"))});
  })));
  HF_CHECK(server.add_tool(plain("test_error_handling", "Always fails", [](Call&) -> ToolReply {
    return ToolResult::failure("This tool intentionally returns an error for testing");
  })));

  Tool progress = plain("test_tool_with_progress", "Reports progress 0, 50, 100", count_up);
  progress.run_on = RunOn::pool;
  HF_CHECK(server.add_tool(std::move(progress)));
  Tool logging = plain("test_tool_with_logging", "Logs three messages", log_thrice);
  logging.run_on = RunOn::pool;
  HF_CHECK(server.add_tool(std::move(logging)));
  Tool polling = plain("test_reconnection", "Closes its connection and answers later", come_back_later);
  polling.run_on = RunOn::pool;
  HF_CHECK(server.add_tool(std::move(polling)));

  Tool dialect = plain("json_schema_2020_12_tool", "Has a schema with 2020-12 keywords",
                       [](Call& call) -> ToolReply { return ToolResult::text("Called with " + to_json(call.arguments())); });
  dialect.input_schema = schema_2020_12();
  HF_CHECK(server.add_tool(std::move(dialect)));

  Tool header = plain("test_x_mcp_header", "Has an argument that is repeated in a header", [](Call& call) -> ToolReply {
    return ToolResult::text("region: " + std::string(find_string(call.arguments(), "region").value_or("none")));
  });
  header.input_schema = object_schema(
      {{"region", JsonObject{{"type", "string"}, {"x-mcp-header", "Region"}}}, {"count", JsonObject{{"type", "integer"}}}});
  HF_CHECK(server.add_tool(std::move(header)));

  Tool echo = plain("echo", "Answers the message it was given; for load generators",
                    [](Call& call) -> ToolReply { return ToolResult::text(*find_string(call.arguments(), "message")); });
  echo.input_schema = object_schema({{"message", JsonObject{{"type", "string"}}}}, {"message"});
  return server.add_tool(std::move(echo));
}

}  // namespace holdfast::conformance
