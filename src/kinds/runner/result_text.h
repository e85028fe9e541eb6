#pragma once

// A tool's result as text for a model (persistent-client §7, step 5).

#include "base/json/json.h"
#include "kinds/runner/servers/tools.h"

#include <string>
#include <string_view>

namespace holdfast::runner {

inline constexpr std::size_t kShownResultBytes = 64 * 1024;

// Of a tools/call result: every content item; what is not text is described by kind and size. An error is marked as one.
ToolOutcome read_result(const JsonObject& result);
// Head and tail of a long text, with how much is missing between them.
std::string shown_result(std::string_view text, std::size_t most = kShownResultBytes);

}  // namespace holdfast::runner
