#pragma once

// Logging to stderr, because stdout belongs to the protocol. One line a message:
// "2026-07-28T09:30:00.000Z warn store: text". Any thread; a line is written whole. Messages may quote
// strangers: control characters are escaped, broken UTF-8 is replaced, more than 16 KiB is cut.

#include <string_view>

namespace holdfast {

enum class LogLevel { debug, info, warn, error, off };

void set_log_level(LogLevel level);
LogLevel log_level();
bool parse_log_level(std::string_view name, LogLevel& level);
void set_log_json(bool json);  // {"time","level","room","message"} instead

void log(LogLevel level, std::string_view room, std::string_view message);

}  // namespace holdfast
