#pragma once

// Says for whom this thread works, so that every line it logs meanwhile can be found by the caller's trace (W3C trace context,
// `traceparent`). Scopes nest; what is no traceparent leaves the lines as they are.

#include <string>
#include <string_view>

namespace holdfast {

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
