#pragma once

// Which tools start programs on the machine of the server, and with which arguments: one table, so that it can be read as a
// whole.
//
// Nobody may ask for that without a token, whatever --no-auth lets in: the protocol layer asks here before a handler runs
// (mcp/server/features.h). Files that start a program at all are listed in tests/structure/check_children.py; who adds one there
// decides whether a tool leads to it.
//
// Not here, because callers choose nothing of it: pdftotext, which a research run starts on the operator's own files. Verdicts on
// pages, which may commit with git, need a login anyway.

#include "base/json/json.h"

#include <functional>
#include <string_view>

namespace holdfast::tools {

// For Tool::starts_programs; empty for a tool that starts none.
std::function<bool(const JsonObject& arguments)> starts_programs(std::string_view tool);

}  // namespace holdfast::tools
