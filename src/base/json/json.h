#pragma once

// JSON values (Boost.JSON) with our own limits on the way in and our own numbers on the way out.
//
// Boost.JSON 1.81 reads at most 32 levels unless told otherwise, prints 1.0 as 1E0 and an
// overflowed number as Infinity, which is not JSON. So: parse with parse_json, write with
// append_json / to_json, never with the library's own functions.

#include "base/result.h"

#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

using Json = boost::json::value;
using JsonObject = boost::json::object;
using JsonArray = boost::json::array;

struct JsonLimits {
  std::size_t max_depth = 128;  // deeper is an attack or a defect, never a message
  std::size_t max_bytes = 64 * 1024 * 1024;
};

// Exactly one JSON value with optional white space around it; one leading BOM is skipped. Doubles are
// exact; one too large for a double is invalid. Of equal keys the last wins.
// Errors: invalid (with the byte offset), too_large (a limit; names it).
Result<Json> parse_json(std::string_view text, const JsonLimits& limits = {});

// Appends compact JSON; what is written reads back equal. Doubles take the fewest digits that do so and
// always contain '.' or 'e'; a non-finite double is written as null. Strings keep their UTF-8 bytes;
// what is not UTF-8 becomes U+FFFD (append_json_string alone leaves that to its caller, who may have only a piece of the text).
void append_json(std::string& out, const Json& value);
void append_json(std::string& out, const JsonObject& value);
void append_json_string(std::string& out, std::string_view text);  // with the quotes
std::string to_json(const Json& value);
std::string to_json(const JsonObject& value);
std::string to_json_pretty(const Json& value);  // two blanks per level, for people

// Members of an object by key; nullptr / nullopt when absent or of another type. They live as long as
// the object is not changed. find_int takes 3.0 for 3, as JSON Schema does.
const Json* find(const Json& object, std::string_view key);
const Json* find(const JsonObject& object, std::string_view key);
const JsonObject* find_object(const JsonObject& object, std::string_view key);
const JsonArray* find_array(const JsonObject& object, std::string_view key);
std::optional<std::string_view> find_string(const JsonObject& object, std::string_view key);
std::optional<std::int64_t> find_int(const JsonObject& object, std::string_view key);
std::optional<bool> find_bool(const JsonObject& object, std::string_view key);
std::string text_in(const JsonObject& object, std::string_view key);  // "" where find_string finds none

JsonArray to_json_array(const std::vector<std::string>& texts);
std::vector<std::string> strings_in(const JsonObject& object, std::string_view key);  // of a list; without what is no string
void put_text(JsonObject& object, std::string_view key, std::string_view text);       // unless it is empty

inline std::string_view view(const boost::json::string& text) {
  return {text.data(), text.size()};
}

}  // namespace holdfast
