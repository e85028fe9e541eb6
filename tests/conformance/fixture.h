#pragma once

// What the public conformance suite expects of a server under test: tools, resources and prompts with fixed
// names and texts. The suite's fixture contract numbers them T1..T20, M1..M8, K1..K7, R1..R4, P1..P5.

#include "mcp/server/server.h"

namespace holdfast::conformance {

Result<void> add_content_tools(mcp::Server& server);  // T1-T6, T12, T13, T18-T20, echo
Result<void> add_asking_tools(mcp::Server& server);   // T7-T11, T14-T17, M1-M8
Result<void> add_task_tools(mcp::Server& server);     // K1-K7
void add_resources_and_prompts(mcp::Server& server);  // R1-R4, P1-P5

// Shorthand for the schemas of the fixtures.
JsonObject object_schema(JsonObject properties = {}, JsonArray required = {});

// What our own tools never answer with.
inline JsonObject image_block(std::string_view base64, std::string_view mime_type) {
  return {{"type", "image"}, {"data", base64}, {"mimeType", mime_type}};
}
inline JsonObject audio_block(std::string_view base64, std::string_view mime_type) {
  return {{"type", "audio"}, {"data", base64}, {"mimeType", mime_type}};
}
inline JsonObject blob_contents(std::string_view uri, std::string_view mime_type, std::string_view base64) {
  return {{"uri", uri}, {"mimeType", mime_type}, {"blob", base64}};
}

inline constexpr std::string_view kPng =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
inline constexpr std::string_view kWav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

}  // namespace holdfast::conformance
