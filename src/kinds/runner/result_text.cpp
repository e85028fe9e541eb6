#include "kinds/runner/result_text.h"

#include "base/text/text.h"

#include <fmt/format.h>

namespace holdfast::runner {

namespace {

// base64: four characters for three bytes.
std::size_t decoded_bytes(std::string_view base64) {
  return base64.size() / 4 * 3;
}

std::string described(const JsonObject& item) {
  const std::string_view type = find_string(item, "type").value_or("item");
  const std::string_view mime = find_string(item, "mimeType").value_or("unknown type");
  if (type == "image" || type == "audio")
    return fmt::format("[{}: {}, {} bytes]", type, mime, decoded_bytes(find_string(item, "data").value_or("")));
  if (type == "resource_link") return fmt::format("[resource: {}]", find_string(item, "uri").value_or("?"));
  if (type == "resource") {
    const JsonObject* resource = find_object(item, "resource");
    if (!resource) return "[resource without content]";
    const std::string_view uri = find_string(*resource, "uri").value_or("?");
    if (const auto text = find_string(*resource, "text")) return fmt::format("[resource: {}]\n{}", uri, *text);
    return fmt::format("[resource: {}, {}, {} bytes]", uri, find_string(*resource, "mimeType").value_or("unknown type"),
                       decoded_bytes(find_string(*resource, "blob").value_or("")));
  }
  return fmt::format("[{}]", type);
}

}  // namespace

ToolOutcome read_result(const JsonObject& result) {
  ToolOutcome outcome;
  outcome.is_error = find_bool(result, "isError").value_or(false);
  if (const JsonArray* content = find_array(result, "content"))
    for (const Json& item : *content) {
      if (!item.is_object()) continue;
      if (!outcome.text.empty()) outcome.text += '\n';
      const auto text = find_string(item.as_object(), "text");
      if (text && find_string(item.as_object(), "type").value_or("text") == "text")
        outcome.text += *text;
      else
        outcome.text += described(item.as_object());
    }
  if (outcome.text.empty())
    if (const JsonObject* structured = find_object(result, "structuredContent")) outcome.text = to_json(*structured);
  if (outcome.text.empty()) outcome.text = "(no content)";
  if (outcome.is_error) outcome.text.insert(0, "Error: ");
  return outcome;
}

std::string shown_result(std::string_view text, std::size_t most) {
  if (text.size() <= most) return to_valid_utf8(text);
  const std::string_view head = utf8_prefix(text, most * 3 / 4);
  std::size_t tail_at = text.size() - (most - most * 3 / 4);
  while (tail_at < text.size() && (static_cast<unsigned char>(text[tail_at]) & 0xC0) == 0x80) ++tail_at;
  return to_valid_utf8(fmt::format("{}\n[... {} bytes cut here ...]\n{}", head, tail_at - head.size(), text.substr(tail_at)));
}

}  // namespace holdfast::runner
