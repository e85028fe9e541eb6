#pragma once

// Members of the _meta of a task that this server understands itself.

#include <string_view>

namespace holdfast::mcp {

// What a client should do when the server that ran the task has stopped. Absent: call the tool again.
inline constexpr std::string_view kWhenStopped = "holdfast/when_stopped";

}  // namespace holdfast::mcp
