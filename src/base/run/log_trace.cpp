#include "base/run/log_trace.h"

#include <algorithm>

namespace holdfast {
namespace {

thread_local std::string trace;

constexpr std::size_t kVersionLength = 2, kTraceLength = 32, kSpanLength = 16, kFlagsLength = 2;

bool is_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

std::string_view trace_id_of(std::string_view traceparent) {
  constexpr std::size_t kWhole = kVersionLength + kTraceLength + kSpanLength + kFlagsLength + 3;
  constexpr std::size_t kTrace = kVersionLength + 1, kSpan = kTrace + kTraceLength + 1, kFlags = kSpan + kSpanLength + 1;
  if (traceparent.size() < kWhole || traceparent[kTrace - 1] != '-' || traceparent[kSpan - 1] != '-' ||
      traceparent[kFlags - 1] != '-')
    return {};
  const std::string_view version = traceparent.substr(0, kVersionLength);
  // Later versions may be longer; this one is not, and ff never is one.
  if (!is_hex(version) || version == "ff" || (version == "00" && traceparent.size() != kWhole)) return {};
  const std::string_view id = traceparent.substr(kTrace, kTraceLength);
  const std::string_view span = traceparent.substr(kSpan, kSpanLength);
  if (!is_hex(id) || !is_hex(span) || !is_hex(traceparent.substr(kFlags, kFlagsLength))) return {};
  const auto all_zero = [](std::string_view text) { return text.find_first_not_of('0') == std::string_view::npos; };
  return all_zero(id) || all_zero(span) ? std::string_view() : id;
}

LogTrace::LogTrace(std::string_view traceparent) : before_(trace) {
  if (const std::string_view id = trace_id_of(traceparent); !id.empty()) trace = id;
}

LogTrace::~LogTrace() {
  trace = std::move(before_);
}

std::string_view LogTrace::current() {
  return trace;
}

}  // namespace holdfast
