#include "base/json/json.h"

#include <cmath>
#include <limits>

namespace holdfast {

const Json* find(const JsonObject& object, std::string_view key) {
  return object.if_contains({key.data(), key.size()});
}

const Json* find(const Json& object, std::string_view key) {
  const JsonObject* members = object.if_object();
  return members ? find(*members, key) : nullptr;
}

const JsonObject* find_object(const JsonObject& object, std::string_view key) {
  const Json* member = find(object, key);
  return member ? member->if_object() : nullptr;
}

const JsonArray* find_array(const JsonObject& object, std::string_view key) {
  const Json* member = find(object, key);
  return member ? member->if_array() : nullptr;
}

std::optional<std::string_view> find_string(const JsonObject& object, std::string_view key) {
  const Json* member = find(object, key);
  if (!member || !member->is_string()) return std::nullopt;
  return view(member->get_string());
}

std::optional<std::int64_t> find_int(const JsonObject& object, std::string_view key) {
  const Json* member = find(object, key);
  if (!member) return std::nullopt;
  if (const auto* number = member->if_int64()) return *number;
  if (const auto* number = member->if_uint64()) {
    constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
    if (*number <= kLargest) return static_cast<std::int64_t>(*number);
  }
  if (const auto* number = member->if_double()) {
    constexpr double kExactIntegers = 1LL << 53;
    if (std::abs(*number) <= kExactIntegers && std::trunc(*number) == *number) return static_cast<std::int64_t>(*number);
  }
  return std::nullopt;
}

std::optional<bool> find_bool(const JsonObject& object, std::string_view key) {
  const Json* member = find(object, key);
  if (!member || !member->is_bool()) return std::nullopt;
  return member->get_bool();
}

std::string text_in(const JsonObject& object, std::string_view key) {
  return std::string(find_string(object, key).value_or(""));
}

JsonArray to_json_array(const std::vector<std::string>& texts) {
  JsonArray out;
  for (const std::string& text : texts) out.emplace_back(text);
  return out;
}

std::vector<std::string> strings_in(const JsonObject& object, std::string_view key) {
  std::vector<std::string> texts;
  if (const JsonArray* array = find_array(object, key))
    for (const Json& each : *array)
      if (each.is_string()) texts.emplace_back(view(each.get_string()));
  return texts;
}

}  // namespace holdfast
