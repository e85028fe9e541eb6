#include "base/schema/schema_keyword.h"

#include <algorithm>
#include <array>

namespace holdfast::schema {
namespace {

struct Row {
  KeywordRule rule;
  bool in_draft_07;
  bool in_2020_12;
};

constexpr std::array kRows{
    Row{{"$anchor", Keyword::anchor, Below::nothing}, false, true},
    Row{{"$defs", Keyword::definitions, Below::map}, false, true},
    Row{{"$dynamicAnchor", Keyword::dynamic_anchor, Below::nothing}, false, true},
    Row{{"$dynamicRef", Keyword::dynamic_ref, Below::nothing}, false, true},
    Row{{"$id", Keyword::id, Below::nothing}, true, true},
    Row{{"$ref", Keyword::ref, Below::nothing}, true, true},
    Row{{"$schema", Keyword::schema_dialect, Below::nothing}, true, true},
    Row{{"additionalItems", Keyword::additional_items, Below::one}, true, false},
    Row{{"additionalProperties", Keyword::additional_properties, Below::one}, true, true},
    Row{{"allOf", Keyword::all_of, Below::list}, true, true},
    Row{{"anyOf", Keyword::any_of, Below::list}, true, true},
    Row{{"const", Keyword::const_value, Below::nothing}, true, true},
    Row{{"contains", Keyword::contains, Below::one}, true, true},
    Row{{"definitions", Keyword::definitions, Below::map}, true, false},
    Row{{"dependencies", Keyword::dependencies, Below::map_of_schemas_or_lists}, true, true},  // 2020-12 keeps it for old schemas
    Row{{"dependentRequired", Keyword::dependent_required, Below::nothing}, false, true},
    Row{{"dependentSchemas", Keyword::dependent_schemas, Below::map}, false, true},
    Row{{"else", Keyword::else_schema, Below::one}, true, true},
    Row{{"enum", Keyword::enum_values, Below::nothing}, true, true},
    Row{{"exclusiveMaximum", Keyword::exclusive_maximum, Below::nothing}, true, true},
    Row{{"exclusiveMinimum", Keyword::exclusive_minimum, Below::nothing}, true, true},
    Row{{"format", Keyword::format, Below::nothing}, true, true},
    Row{{"if", Keyword::if_schema, Below::one}, true, true},
    Row{{"items", Keyword::items, Below::one}, false, true},
    Row{{"items", Keyword::items, Below::one_or_list}, true, false},
    Row{{"maxContains", Keyword::max_contains, Below::nothing}, false, true},
    Row{{"maxItems", Keyword::max_items, Below::nothing}, true, true},
    Row{{"maxLength", Keyword::max_length, Below::nothing}, true, true},
    Row{{"maxProperties", Keyword::max_properties, Below::nothing}, true, true},
    Row{{"maximum", Keyword::maximum, Below::nothing}, true, true},
    Row{{"minContains", Keyword::min_contains, Below::nothing}, false, true},
    Row{{"minItems", Keyword::min_items, Below::nothing}, true, true},
    Row{{"minLength", Keyword::min_length, Below::nothing}, true, true},
    Row{{"minProperties", Keyword::min_properties, Below::nothing}, true, true},
    Row{{"minimum", Keyword::minimum, Below::nothing}, true, true},
    Row{{"multipleOf", Keyword::multiple_of, Below::nothing}, true, true},
    Row{{"not", Keyword::not_schema, Below::one}, true, true},
    Row{{"oneOf", Keyword::one_of, Below::list}, true, true},
    Row{{"pattern", Keyword::pattern, Below::nothing}, true, true},
    Row{{"patternProperties", Keyword::pattern_properties, Below::map}, true, true},
    Row{{"prefixItems", Keyword::prefix_items, Below::list}, false, true},
    Row{{"properties", Keyword::properties, Below::map}, true, true},
    Row{{"propertyNames", Keyword::property_names, Below::one}, true, true},
    Row{{"required", Keyword::required, Below::nothing}, true, true},
    Row{{"then", Keyword::then_schema, Below::one}, true, true},
    Row{{"type", Keyword::type, Below::nothing}, true, true},
    Row{{"unevaluatedItems", Keyword::unevaluated_items, Below::one}, false, true},
    Row{{"unevaluatedProperties", Keyword::unevaluated_properties, Below::one}, false, true},
    Row{{"uniqueItems", Keyword::unique_items, Below::nothing}, true, true},
};

constexpr auto kName = [](const Row& row) { return row.rule.name; };
static_assert(std::ranges::is_sorted(kRows, {}, kName));

}  // namespace

std::optional<Dialect> dialect_named(std::string_view uri) {
  if (uri.ends_with('#')) uri.remove_suffix(1);
  if (uri == "https://json-schema.org/draft/2020-12/schema" || uri == "http://json-schema.org/draft/2020-12/schema") {
    return Dialect::draft_2020_12;
  }
  if (uri == "http://json-schema.org/draft-07/schema" || uri == "https://json-schema.org/draft-07/schema")
    return Dialect::draft_07;
  return std::nullopt;
}

const KeywordRule* find_keyword(std::string_view name, Dialect dialect) {
  for (const Row& row : std::ranges::equal_range(kRows, name, {}, kName)) {
    if (dialect == Dialect::draft_07 ? row.in_draft_07 : row.in_2020_12) return &row.rule;
  }
  return nullptr;
}

}  // namespace holdfast::schema
