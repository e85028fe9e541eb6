#include "tools/argument_schema.h"

namespace holdfast::tools::argument {

namespace {

JsonObject of_type(std::string_view type, std::string_view description) {
  JsonObject schema{{"type", type}};
  if (!description.empty()) schema["description"] = description;
  return schema;
}

}  // namespace

JsonObject text(std::string_view description) {
  return of_type("string", description);
}

JsonObject flag(std::string_view description) {
  return of_type("boolean", description);
}

JsonObject integer(std::string_view description) {
  return of_type("integer", description);
}

JsonObject number(std::int64_t least, std::int64_t most, std::string_view description) {
  return {{"type", "integer"}, {"minimum", least}, {"maximum", most}, {"description", description}};
}

JsonObject choice(JsonArray words, std::string_view description) {
  JsonObject schema{{"type", "string"}, {"enum", std::move(words)}};
  if (!description.empty()) schema["description"] = description;
  return schema;
}

}  // namespace holdfast::tools::argument
