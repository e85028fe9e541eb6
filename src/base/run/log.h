#pragma once

// Logging to stderr, because stdout belongs to the protocol. One line a message:
// "2026-07-28T09:30:00.000Z warn store: text". Any thread; a line is written whole. Messages may quote
// strangers: control characters are escaped, broken UTF-8 is replaced, more than 16 KiB is cut.

#include <functional>
#include <string>
#include <string_view>

namespace holdfast {

enum class LogLevel { debug, info, warn, error, off };

void set_log_level(LogLevel level);
LogLevel log_level();
bool parse_log_level(std::string_view name, LogLevel& level);

void log(LogLevel level, std::string_view room, std::string_view message);

// For a program that draws on the terminal while others log: it gets the lines and writes them itself.
// The lines are whole, with their ends; empty: they go to stderr, as ever. Called under a lock: it must not log.
void set_log_writer(std::function<void(std::string_view line)> writer);

// Says for whom this thread works, so that every line it logs meanwhile can be found by the caller's trace (W3C trace context,
// `traceparent`). Scopes nest; what is no traceparent leaves the lines as they are.
class LogTrace {
 public:
  explicit LogTrace(std::string_view traceparent);
  ~LogTrace();
  LogTrace(const LogTrace&) = delete;
  LogTrace& operator=(const LogTrace&) = delete;

  // The trace id of this thread's work, 32 hex digits; empty: none.
  static std::string_view current();

 private:
  std::string before_;
};

// The trace id of "00-<32 hex>-<16 hex>-<2 hex>"; empty when it is anything else, or all zeros.
std::string_view trace_id_of(std::string_view traceparent);

}  // namespace holdfast
