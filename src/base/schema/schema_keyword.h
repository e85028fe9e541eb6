#pragma once

// The keywords of both dialects, and where the subschemas are below each.

#include <cstdint>
#include <optional>
#include <string_view>

namespace holdfast::schema {

// draft-07 is read because most of today's tool schemas say so; everything else is 2020-12.
enum class Dialect : std::uint8_t { draft_07, draft_2020_12 };

// nullopt for a dialect we do not speak.
std::optional<Dialect> dialect_named(std::string_view uri);

enum class Keyword : std::uint8_t {
  additional_items,
  additional_properties,
  all_of,
  anchor,
  any_of,
  const_value,
  contains,
  definitions,
  dependencies,
  dependent_required,
  dependent_schemas,
  dynamic_anchor,
  dynamic_ref,
  else_schema,
  enum_values,
  exclusive_maximum,
  exclusive_minimum,
  format,
  id,
  if_schema,
  items,
  max_contains,
  max_items,
  max_length,
  max_properties,
  maximum,
  min_contains,
  min_items,
  min_length,
  min_properties,
  minimum,
  multiple_of,
  not_schema,
  one_of,
  pattern,
  pattern_properties,
  prefix_items,
  properties,
  property_names,
  ref,
  required,
  schema_dialect,
  then_schema,
  type,
  unevaluated_items,
  unevaluated_properties,
  unique_items
};

enum class Below : std::uint8_t {
  nothing,
  one,                     // a schema
  list,                    // an array of schemas
  map,                     // an object whose members are schemas
  one_or_list,             // items of draft-07
  map_of_schemas_or_lists  // dependencies: members are schemas or arrays of names
};

struct KeywordRule {
  std::string_view name;
  Keyword keyword;
  Below below;
};

// nullptr when the dialect does not know the keyword; such members are ignored.
const KeywordRule* find_keyword(std::string_view name, Dialect dialect);

}  // namespace holdfast::schema
