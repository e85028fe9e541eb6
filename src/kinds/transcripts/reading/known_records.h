#pragma once

// The record types and fields we know, with the client versions they were seen in: one table, not a gate. Nothing fails because
// of a record that is not in it; drift.h reports what a home holds beyond it (docs/new-client-version.md).

#include "base/json/json.h"

#include <span>
#include <string_view>

namespace holdfast::transcripts {

struct KnownField {
  std::string_view type;   // record type; "*": every record
  std::string_view field;  // top-level name
  std::string_view json;   // "string", "object", "array", "boolean", "number", "null", joined by "|"
  std::string_view seen;   // "2.1.197", or "<2.1.128" and such
};
struct KnownType {
  std::string_view type;
  std::string_view seen;
  std::string_view meaning;
};

std::span<const KnownType> known_types();
std::span<const KnownField> known_fields();
std::span<const std::string_view> known_versions();  // of the client, that we have looked at

JsonObject record_schema();  // the table as JSON Schema 2020-12; additional types and fields are allowed

}  // namespace holdfast::transcripts
