#pragma once

// A compiled schema: flat tables, numbered nodes, no pointers between them. Made by
// schema_compile.cpp, run by schema_run.cpp, constant in between and shared by threads.
//
// A node is a subschema: a mask of types and a run of checks. Keywords that work together
// (properties, patternProperties, additionalProperties) are one check; checks of a node are ordered
// by Check, cheap ones first, those that need the results of others last.

#include "base/schema/schema.h"
#include "base/schema/schema_format.h"
#include "base/schema/schema_index.h"
#include "base/schema/schema_pattern.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::schema {

enum class Check : std::uint8_t {
  constant,
  enumeration,
  minimum,
  maximum,
  exclusive_minimum,
  exclusive_maximum,
  multiple_of,
  min_length,
  max_length,
  format,
  pattern,
  min_items,
  max_items,
  min_properties,
  max_properties,
  required,
  dependent_required,
  members,  // properties, patternProperties, additionalProperties
  property_names,
  items,  // prefixItems and items, or items and additionalItems of draft-07
  unique_items,
  contains,
  reference,
  dynamic_reference,
  all_of,
  any_of,
  one_of,
  negation,
  condition,  // if, then, else
  dependent_schemas,
  unevaluated_properties,
  unevaluated_items
};

struct Step {
  Check check;
  std::uint32_t a = 0;  // an index into the table of the check, or a number
  std::uint32_t b = 0;  // a count, where the table is shared
};

enum Type : std::uint8_t {
  kNull = 1,
  kBoolean = 2,
  kObject = 4,
  kArray = 8,
  kNumber = 16,
  kString = 32,
  kInteger = 64,
  kAnyType = 127
};

struct Node {
  std::uint8_t types = kAnyType;
  bool never = false;             // the schema `false`
  bool tracks = false;            // has unevaluatedProperties or unevaluatedItems
  std::uint32_t forward = kNone;  // the schema is a reference and nothing else: to this node, which has none
  std::uint32_t resource = 0;
  std::uint32_t first = 0;  // its steps
  std::uint32_t count = 0;
};

struct Member {
  std::string_view name;
  std::uint32_t node = kNone;
};

struct Members {
  std::vector<Member> properties;  // by length, then by bytes
  struct ByPattern {
    std::uint32_t pattern = 0;
    std::uint32_t node = kNone;
  };
  std::vector<ByPattern> patterns;
  std::uint32_t additional = kNone;

  std::uint32_t find(std::string_view name) const;  // node or kNone
};

struct Items {
  std::vector<std::uint32_t> prefix;
  std::uint32_t rest = kNone;
  std::string_view rest_keyword;
};

struct Contains {
  std::uint32_t node = kNone;
  std::uint32_t at_least = 1;
  std::uint32_t at_most = kNone;
};

struct Enumeration {
  struct Value {
    std::uint64_t hash = 0;
    const Json* value = nullptr;
  };
  std::vector<Value> by_hash;
  const JsonArray* listed = nullptr;  // in the order of the schema, for messages
};

struct Condition {
  std::uint32_t test = kNone;
  std::uint32_t met = kNone;
  std::uint32_t unmet = kNone;
};

struct DependentNames {
  std::string_view when;
  std::vector<std::string_view> names;
};

// Resource and node, by resource: the places of one dynamic anchor.
using DynamicAnchors = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct Program {
  Json document;  // views and pointers of the tables lead here
  SchemaLimits limits;
  bool has_dynamic_references = false;

  std::vector<Node> nodes;  // node 0 is the root
  std::vector<Step> steps;
  std::vector<const Json*> sources;  // the schema each node was made of, for messages

  std::vector<std::uint32_t> node_lists;  // allOf, anyOf, oneOf: [a, a + b)
  std::vector<std::string_view> names;    // required: [a, a + b)
  std::vector<const Json*> values;        // const, minimum, ..., multipleOf
  std::vector<Pattern> patterns;          // every distinct one once
  std::vector<std::string_view> pattern_texts;
  std::vector<Members> members;
  std::vector<Items> items;
  std::vector<Contains> contains;
  std::vector<Enumeration> enumerations;
  std::vector<Condition> conditions;
  std::vector<DependentNames> dependent_names;  // [a, a + b)
  std::vector<Member> dependent_nodes;          // [a, a + b)
  std::vector<DynamicAnchors> dynamic_anchors;  // dynamic references: a is the node they name, b indexes this
};

Result<void> compile(Program& program);  // fills everything but document and limits, which are given

}  // namespace holdfast::schema

namespace holdfast {

struct Schema::Compiled {
  schema::Program program;
};

}  // namespace holdfast
