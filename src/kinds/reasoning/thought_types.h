#pragma once

// The types of thoughts and what each must bring along (T9): one table, from which the tool's schema, the validation and the
// documentation are made.

#include "base/json/json.h"
#include "base/result.h"

#include <span>
#include <string_view>

namespace holdfast::reasoning {

struct ThoughtType {
  std::string_view name;
  std::string_view payload;  // the argument that holds it; empty: none
  std::string_view schema;   // JSON Schema of the payload; empty: none
  bool needs_confidence = false;
  char marker = 'T';  // in the compact export
  std::string_view meaning;
};

std::span<const ThoughtType> thought_types();
const ThoughtType* find_type(std::string_view name);
inline constexpr std::string_view kDefaultType = "reasoning";

// Is this entry type a thought (and not a note the program wrote into the log)?
bool is_thought_type(std::string_view entry_type);

// The payload of this type out of the arguments of a call, checked; empty when the type has none. `confidence` may come with
// every type. Errors: invalid ("invalid_argument"), naming what is missing or wrong.
Result<JsonObject> read_payload(const ThoughtType& type, const JsonObject& arguments);

// Properties for the input schema of the tool: every payload, and confidence.
JsonObject payload_properties();

}  // namespace holdfast::reasoning
