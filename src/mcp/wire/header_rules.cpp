#include "mcp/wire/header_rules.h"

#include "base/crypto/hash.h"
#include "base/text/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>

namespace holdfast::mcp {

namespace {

constexpr std::int64_t kMaxSafeInteger = 9'007'199'254'740'991;  // 2^53 - 1
constexpr std::size_t kMaxDepth = 32;
constexpr std::string_view kPrefix = "=?base64?", kSuffix = "?=";

bool looks_encoded(std::string_view value) {
  return value.starts_with(kPrefix) && value.ends_with(kSuffix) && value.size() >= kPrefix.size() + kSuffix.size();
}

bool is_token(std::string_view text) {
  constexpr std::string_view kCharacters = "!#$%&'*+-.^_`|~";
  if (text.empty()) return false;
  for (char c : text)
    if (!(std::isalnum(static_cast<unsigned char>(c)) || kCharacters.contains(c))) return false;
  return true;
}

Result<void> collect(const JsonObject& schema, std::vector<std::string>& path, std::vector<HeaderRule>& rules,
                     std::set<std::string>& seen) {
  const JsonObject* properties = find_object(schema, "properties");
  if (!properties || path.size() >= kMaxDepth) return {};
  for (const auto& member : *properties) {
    const JsonObject* property = member.value().if_object();
    if (!property) continue;
    path.emplace_back(member.key());
    if (const Json* header = find(*property, "x-mcp-header")) {
      if (!header->is_string() || !is_token(view(header->get_string())))
        return fail(ErrorKind::invalid, "x-mcp-header of " + path.back() + " is not an HTTP token");
      std::string name(view(header->get_string()));
      if (!seen.insert(to_ascii_lower(name)).second) return fail(ErrorKind::invalid, "x-mcp-header " + name + " is used twice");
      auto type = find_string(*property, "type");
      if (type != "string" && type != "integer" && type != "boolean")
        return fail(ErrorKind::invalid, "x-mcp-header is only for string, integer and boolean: " + path.back());
      rules.push_back({path, name});
    }
    HF_CHECK(collect(*property, path, rules, seen));
    path.pop_back();
  }
  return {};
}

std::size_t count_annotations(const Json& value) {
  std::size_t count = 0;
  if (const JsonObject* object = value.if_object()) {
    count += object->contains("x-mcp-header") ? 1 : 0;
    for (const auto& member : *object) count += count_annotations(member.value());
  } else if (const JsonArray* array = value.if_array()) {
    for (const Json& item : *array) count += count_annotations(item);
  }
  return count;
}

const Json* value_at(const JsonObject& arguments, const std::vector<std::string>& path) {
  const JsonObject* object = &arguments;
  const Json* value = nullptr;
  for (const std::string& key : path) {
    if (!object) return nullptr;
    value = find(*object, key);
    object = value ? value->if_object() : nullptr;
  }
  return value && !value->is_null() ? value : nullptr;
}

bool equals(const Json& value, std::string_view text) {
  if (const auto* string = value.if_string()) return view(*string) == text;
  if (value.is_bool()) return text == (value.get_bool() ? "true" : "false");
  std::int64_t expected = 0;
  if (value.is_int64())
    expected = value.get_int64();
  else if (value.is_double() && std::abs(value.get_double()) <= static_cast<double>(kMaxSafeInteger) &&
           std::trunc(value.get_double()) == value.get_double())
    expected = static_cast<std::int64_t>(value.get_double());
  else
    return false;
  std::int64_t given = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), given);
  return error == std::errc() && end == text.data() + text.size() && given == expected && given <= kMaxSafeInteger &&
         given >= -kMaxSafeInteger;
}

RpcError mismatch(std::string message) {
  return {code::kHeaderMismatch, std::move(message), nullptr};
}

}  // namespace

Result<std::vector<HeaderRule>> read_header_rules(const JsonObject& input_schema) {
  std::vector<HeaderRule> rules;
  std::vector<std::string> path;
  std::set<std::string> seen;
  HF_CHECK(collect(input_schema, path, rules, seen));
  if (count_annotations(Json(input_schema)) != rules.size())
    return fail(ErrorKind::invalid, "x-mcp-header is only allowed on properties reached through `properties` alone");
  return rules;
}

std::string_view named_member(std::string_view method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  if (method == "resources/read") return "uri";
  if (method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel") return "taskId";
  return {};
}

Result<std::string> decode_header_value(std::string_view value) {
  if (!looks_encoded(value)) return std::string(value);
  return from_base64(value.substr(kPrefix.size(), value.size() - kPrefix.size() - kSuffix.size()));
}

std::string encode_header_value(std::string_view value) {
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
  const bool plain = std::ranges::all_of(value, is_plain) && !value.starts_with(' ') && !value.ends_with(' ');
  if (plain && !looks_encoded(value)) return std::string(value);
  return std::string(kPrefix) + to_base64(value) + std::string(kSuffix);
}

std::vector<std::pair<std::string, std::string>> param_headers(const std::vector<HeaderRule>& rules,
                                                               const JsonObject& arguments) {
  std::vector<std::pair<std::string, std::string>> headers;
  for (const HeaderRule& rule : rules) {
    const Json* value = value_at(arguments, rule.path);
    if (!value) continue;
    std::string text;
    if (const auto* string = value->if_string()) {
      text = view(*string);
    } else if (const double* number = value->if_double();
               number && std::trunc(*number) == *number && std::abs(*number) <= static_cast<double>(kMaxSafeInteger)) {
      text = std::to_string(static_cast<std::int64_t>(*number));
    } else {
      text = to_json(*value);
    }
    headers.emplace_back("Mcp-Param-" + rule.header, encode_header_value(text));
  }
  return headers;
}

std::optional<RpcError> check_param_headers(const std::vector<HeaderRule>& rules, const JsonObject& arguments,
                                            const std::function<const std::string*(std::string_view)>& find_header) {
  for (const HeaderRule& rule : rules) {
    std::string name = "Mcp-Param-" + rule.header;
    const std::string* header = find_header(name);
    const Json* value = value_at(arguments, rule.path);
    if (!header && !value) continue;
    if (!header) return mismatch("header " + name + " is missing: the body has that argument");
    if (!value) return mismatch("header " + name + " is there, but the body has no such argument");
    auto decoded = decode_header_value(*header);
    if (!decoded) return mismatch("header " + name + " is not valid base64");
    if (!equals(*value, *decoded)) return mismatch("header " + name + " differs from the argument in the body");
  }
  return std::nullopt;
}

}  // namespace holdfast::mcp
