#pragma once

// The JSON form of an export (X3). Internal to export.cpp.

#include "kinds/reasoning/read/export.h"

namespace holdfast::reasoning {

struct ExportParts {
  const session::SessionRecord& record;
  const std::vector<Thought>& thoughts;  // in the order they were written
  std::optional<JsonObject> manifest;
  std::optional<JsonArray> references;
  Millis now = 0;
};

JsonObject json_export(const ExportParts& parts, bool include_metadata);
JsonObject session_fields(const session::SessionRecord& record);

}  // namespace holdfast::reasoning
