#pragma once

// The spellings of arguments that real clients send (reasoning-sessions §2): the fields beside `operation` or
// nested in `args`, sessionId or session_id, action for operation, null for what is left out. All of them become the one the
// schema has; what fits no property is left alone and reported by the engine.

#include "base/json/json.h"

namespace holdfast::tools {

// aliases: further names, {alias, property}.
using Aliases = std::vector<std::pair<std::string, std::string>>;

void settle_spelling(JsonObject& arguments, const JsonObject& properties, const Aliases& aliases);

// The same inside a value that is described by a schema of its own: the spelling of its fields, "3" for 3 and "true" for true,
// and an object or a list that was sent as its JSON text.
void settle_value(Json& value, const JsonObject& schema);

// Null is how many clients leave an argument out.
void drop_nulls(JsonObject& arguments);

// "sessionId" -> "session_id" and back; other text is returned as it is.
std::string to_snake_case(std::string_view name);
std::string to_camel_case(std::string_view name);

}  // namespace holdfast::tools
