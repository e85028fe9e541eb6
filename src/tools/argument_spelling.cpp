#include "tools/argument_spelling.h"

#include <cctype>
#include <optional>

namespace holdfast::tools {

namespace {

constexpr std::string_view kNested = "args";

std::optional<std::string> property_meant_by(const std::string& name, const JsonObject& properties, const Aliases& aliases) {
  if (properties.contains(name)) return std::nullopt;  // spelled as it should be
  for (const std::string& other : {to_camel_case(name), to_snake_case(name)})
    if (properties.contains(other)) return other;
  for (const auto& [alias, property] : aliases)
    if (alias == name || alias == to_camel_case(name)) return property;
  return std::nullopt;
}

}  // namespace

std::string to_snake_case(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (std::isupper(static_cast<unsigned char>(c))) {
      out += '_';
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out;
}

std::string to_camel_case(std::string_view name) {
  std::string out;
  bool raise = false;
  for (char c : name) {
    if (c == '_' && !out.empty()) {
      raise = true;
    } else {
      out += raise ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
      raise = false;
    }
  }
  return out;
}

void drop_nulls(JsonObject& arguments) {
  JsonObject kept;
  for (auto& argument : arguments)
    if (!argument.value().is_null()) kept[argument.key()] = std::move(argument.value());
  arguments = std::move(kept);
}

void settle_spelling(JsonObject& arguments, const JsonObject& properties, const Aliases& aliases) {
  if (!properties.contains(kNested))
    if (const JsonObject* nested = find_object(arguments, kNested)) {
      JsonObject inner = *nested;
      arguments.erase(kNested);
      for (auto& argument : inner) arguments.insert(argument);  // what stands outside wins
    }
  JsonObject settled;
  for (auto& argument : arguments) {
    if (argument.value().is_null()) continue;  // how many clients leave a field out
    const std::string name(argument.key());
    auto meant = property_meant_by(name, properties, aliases);
    // Given in both spellings: the right one counts, the other is reported as ignored.
    if (meant && !arguments.contains(*meant) && !settled.contains(*meant))
      settled[*meant] = std::move(argument.value());
    else
      settled[name] = std::move(argument.value());
  }
  arguments = std::move(settled);
}

void settle_value(Json& value, const JsonObject& schema) {
  const std::string_view type = find_string(schema, "type").value_or("");
  if (value.is_string()) {
    const std::string text(view(value.get_string()));
    const bool wants_text = type.empty() || type == "string";
    auto meant = wants_text ? Result<Json>(fail(ErrorKind::invalid, "")) : parse_json(text);
    const bool fits = meant && ((type == "object" && meant->is_object()) || (type == "array" && meant->is_array()) ||
                                (type == "boolean" && meant->is_bool()) || (type == "integer" && meant->is_int64()) ||
                                (type == "number" && meant->is_number()));
    if (fits) value = std::move(*meant);
  }
  if (const JsonObject* properties = find_object(schema, "properties"); properties && value.is_object()) {
    settle_spelling(value.get_object(), *properties, {});
    for (auto& member : value.get_object())
      if (const JsonObject* inner = find_object(*properties, member.key())) settle_value(member.value(), *inner);
  }
  if (const JsonObject* items = find_object(schema, "items"); items && value.is_array())
    for (Json& each : value.get_array()) settle_value(each, *items);
}

}  // namespace holdfast::tools
