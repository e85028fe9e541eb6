#include "kinds/transcripts/reading/known_records.h"

namespace holdfast::transcripts {
namespace {

// "string|null" -> ["string", "null"]
Json schema_types(std::string_view words) {
  JsonArray types;
  while (true) {
    const std::size_t bar = words.find('|');
    types.push_back(Json(words.substr(0, bar)));
    if (bar == std::string_view::npos) break;
    words.remove_prefix(bar + 1);
  }
  return types.size() == 1 ? types[0] : Json(types);
}

JsonObject properties_of(std::string_view type) {
  JsonObject properties;
  for (const KnownField& field : known_fields()) {
    if (field.type != type) continue;
    properties[field.field] = JsonObject{{"type", schema_types(field.json)}, {"$comment", field.seen}};
  }
  return properties;
}

}  // namespace

JsonObject record_schema() {
  JsonArray rules;
  for (const KnownType& type : known_types()) {
    const JsonObject of_this_type{{"properties", JsonObject{{"type", JsonObject{{"const", type.type}}}}},
                                  {"required", JsonArray{"type"}}};
    rules.push_back(JsonObject{{"$comment", type.seen},
                               {"if", of_this_type},
                               {"then", JsonObject{{"description", type.meaning}, {"properties", properties_of(type.type)}}}});
  }
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", "One line of a Claude Code transcript, as far as holdfast knows it"},
          {"description", "Other types and fields are allowed: new ones arrive with every client."},
          {"type", "object"},
          {"properties", properties_of("*")},
          {"allOf", std::move(rules)}};
}

}  // namespace holdfast::transcripts
