#include "kinds/runner/result_text.h"

#include "base/schema/schema.h"
#include "base/text/text.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace holdfast::runner {
namespace {

bool wants(const JsonObject& schema, std::string_view type) {
  const Json* types = find(schema, "type");
  if (!types) return false;
  if (types->is_string()) return view(types->as_string()) == type;
  if (!types->is_array()) return false;
  for (const Json& each : types->as_array())
    if (each.is_string() && view(each.as_string()) == type) return true;
  return false;
}

std::optional<Json> as_number(std::string_view text, bool whole) {
  std::int64_t integer = 0;
  const char* const end = text.data() + text.size();
  if (const auto read = std::from_chars(text.data(), end, integer); read.ec == std::errc() && read.ptr == end)
    return Json(integer);
  if (whole) return std::nullopt;
  double number = 0;
  if (const auto read = std::from_chars(text.data(), end, number); read.ec == std::errc() && read.ptr == end) return Json(number);
  return std::nullopt;
}

// A text stays a text wherever the schema takes one.
void coerce(Json& value, const Json& schema) {
  if (!schema.is_object()) return;
  const JsonObject& rules = schema.as_object();
  if (value.is_string() && !wants(rules, "string")) {
    const std::string_view text = trim(view(value.as_string()));
    const bool whole = wants(rules, "integer") && !wants(rules, "number");
    if (wants(rules, "integer") || wants(rules, "number")) {
      if (auto number = as_number(text, whole)) value = *std::move(number);
    } else if (wants(rules, "boolean") && (text == "true" || text == "false")) {
      value = text == "true";
    }
  } else if (value.is_object()) {
    const JsonObject* properties = find_object(rules, "properties");
    if (!properties) return;
    for (auto& [key, member] : value.as_object())
      if (const Json* of_member = find(*properties, std::string_view(key.data(), key.size()))) coerce(member, *of_member);
  } else if (value.is_array()) {
    if (const Json* items = find(rules, "items"))
      for (Json& item : value.as_array()) coerce(item, *items);
  }
}

Error wrong_arguments(std::string message) {
  return make_error(ErrorKind::invalid, std::move(message), "call the tool again with arguments that fit its schema",
                    "bad_arguments");
}

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

Result<JsonObject> read_arguments(std::string_view text, const Json& schema) {
  Json value = JsonObject();
  if (!trim(text).empty()) {
    auto parsed = parse_json(text);
    if (!parsed) return fail(wrong_arguments("the arguments are not JSON: " + parsed.error().message));
    if (!parsed->is_null()) value = *std::move(parsed);
    // Some write the object once more as a text.
    if (value.is_string()) {
      auto inner = parse_json(view(value.as_string()));
      if (inner && inner->is_object()) value = *std::move(inner);
    }
  }
  if (!value.is_object()) return fail(wrong_arguments("the arguments must be a JSON object"));
  coerce(value, schema);
  if (schema.is_object() && !schema.as_object().empty()) {
    // A schema that cannot be compiled is the server's affair: it will judge the arguments itself.
    if (const auto compiled = Schema::compile(schema)) {
      if (const auto violations = compiled->validate(value); !violations.empty())
        return fail(wrong_arguments("the arguments do not fit: " + describe(violations)));
    }
  }
  return std::move(value.as_object());
}

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
