#pragma once

// The document tools one by one: what each takes, what it says about itself, and which function of the workspace it calls.

#include "base/json/json.h"
#include "kinds/documents/workspace/workspace.h"

#include <functional>
#include <string>
#include <vector>

namespace holdfast::tools {

struct DocumentCall {
  documents::Workspace& workspace;
  const documents::Asker& asker;
  const JsonObject& arguments;  // fit the schema
  Millis now;

  std::string text(std::string_view name) const;  // "" when it was not given
  std::int64_t number(std::string_view name, std::int64_t fallback) const;
  bool flag(std::string_view name) const;
};

struct DocumentTool {
  std::string name, title, description;
  JsonObject properties;
  std::vector<std::string> required;  // session_id is listed like the others, but its absence has a word of its own
  bool writes = false;                // not with read-only documents
  bool reads_only = false;            // for readOnlyHint
  std::function<Result<std::string>(const DocumentCall&)> run;
};

// In the order of tools/list (design §4). ttl: "7 days".
std::vector<DocumentTool> document_tools(const std::string& ttl);

}  // namespace holdfast::tools
