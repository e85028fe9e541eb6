#include "tools/argument_schema.h"

#include <fmt/format.h>

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
  JsonObject schema = of_type("integer", {});
  if (least != operations::kAnyNumber) schema["minimum"] = least;
  if (most != std::numeric_limits<std::int64_t>::max()) schema["maximum"] = most;
  if (!description.empty()) schema["description"] = description;
  return schema;
}

JsonObject choice(JsonArray words, std::string_view description) {
  JsonObject schema{{"type", "string"}, {"enum", std::move(words)}};
  if (!description.empty()) schema["description"] = description;
  return schema;
}

JsonObject result_with(const std::vector<Members>& alternatives) {
  JsonArray either;
  for (const Members& members : alternatives)
    if (!members.empty()) either.push_back(JsonObject{{"required", JsonArray(members.begin(), members.end())}});
  either.push_back(JsonObject{{"required", JsonArray{"error", "message"}}});
  return {{"type", "object"}, {"anyOf", std::move(either)}};
}

JsonObject schema_of(const operations::Parameter& parameter) {
  using enum operations::Parameter::Type;
  const std::string about = parameter.fallback.empty() ? std::string(parameter.help)
                                                       : fmt::format("{}; default: {}", parameter.help, parameter.fallback);
  switch (parameter.type) {
    case text: {
      JsonArray words;
      for (const std::string_view word : words_of(parameter)) words.emplace_back(word);
      return words.empty() ? argument::text(about) : argument::choice(std::move(words), about);
    }
    case texts:
      return {{"type", JsonArray{"string", "array"}}, {"items", JsonObject{{"type", "string"}}}, {"description", about}};
    case number:
      return argument::number(parameter.least, parameter.most, about);
    case flag:
      return {{"type", "boolean"}, {"default", false}, {"description", about}};
    case operations::Parameter::Type::choice:
      return argument::flag(about);
    case json:
      return about.empty() ? JsonObject{} : JsonObject{{"description", about}};
  }
  return argument::text(about);
}

}  // namespace holdfast::tools::argument
