#include "kinds/runner/arguments.h"

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

}  // namespace holdfast::runner
