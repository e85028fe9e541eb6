#pragma once

// Every subschema of a document, with its number, its base URI and its anchors: the first pass of
// the compiler, and what references are resolved against.
//
// Subschemas are found where keywords say they are; a "$id" inside an enum or an unknown keyword
// is data. A reference may still point at such a place, which is then added. The walk uses a list,
// not the stack, so a deep schema costs a limit and not a crash.

#include "base/schema/schema.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace holdfast::schema {

// The keywords of both dialects, and where the subschemas are below each.

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

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

struct Place {
  const Json* schema = nullptr;  // an object or a boolean
  std::uint32_t resource = 0;
  std::uint32_t parent = kNone;
  std::uint32_t depth = 0;
  // The way from the parent: "/properties" and "name", "/allOf" and 0, "/not" and neither.
  std::string_view keyword;
  std::string_view key;
  std::uint32_t item = kNone;
};

struct Anchor {
  std::uint32_t place = kNone;
  bool dynamic = false;
};

class Index {
 public:
  // The document must outlive the index and stay where it is.
  Index(const Json& document, Dialect dialect, const SchemaLimits& limits);

  Result<void> build();

  Dialect dialect() const { return dialect_; }
  const std::vector<Place>& places() const { return places_; }
  std::uint32_t number_of(const Json& schema) const;  // kNone when it is not a subschema

  struct Target {
    std::uint32_t place = kNone;
    std::string dynamic_anchor;  // not empty when the reference names one
  };
  // May add places. Errors: invalid (names nothing), refused (another document), too_large.
  Result<Target> resolve(std::string_view reference, std::uint32_t from_place);

  // Resources that carry a dynamic anchor of this name (one that resolve has returned): resource and place.
  const std::vector<std::pair<std::uint32_t, std::uint32_t>>& dynamic_anchors(const std::string& name) const {
    return dynamic_anchors_.at(name);
  }

  std::string location(std::uint32_t place) const;  // "#/properties/age", for messages

 private:
  struct Resource {
    std::string uri;
    const Json* root = nullptr;
  };

  Result<void> add_with_all_below(Place first);
  Result<void> identify(std::uint32_t number);
  Result<void> add_anchor(std::uint32_t number, const Json& name, bool dynamic);
  Result<void> add_below(std::uint32_t number, const KeywordRule& rule, const Json& value, std::vector<Place>& waiting) const;

  const Json& document_;
  Dialect dialect_;
  SchemaLimits limits_;
  std::vector<Place> places_;
  std::unordered_map<const Json*, std::uint32_t> numbers_;
  std::vector<Resource> resources_;
  std::unordered_map<std::string, std::uint32_t> resource_by_uri_;
  std::map<std::pair<std::uint32_t, std::string>, Anchor> anchors_;
  std::map<std::string, std::vector<std::pair<std::uint32_t, std::uint32_t>>> dynamic_anchors_;
};

}  // namespace holdfast::schema
