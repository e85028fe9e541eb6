#include "base/run/log.h"

#include "base/files/file.h"
#include "base/run/clock.h"
#include "base/text/text.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <mutex>

namespace holdfast {

namespace {

constexpr std::size_t kMaxMessageBytes = 16 * 1024;  // a log says where to look; it is not a dump
constexpr std::array<std::string_view, 5> kLevelNames = {"debug", "info", "warn", "error", "off"};

std::atomic<LogLevel> threshold = LogLevel::info;
std::mutex write_mutex;
std::function<void(std::string_view)> log_writer;  // guarded by write_mutex

std::string_view name_of_level(LogLevel level) {
  return kLevelNames[static_cast<std::size_t>(level)];
}

// A message may quote a stranger: it must not start lines of its own or steer the terminal.
void append_escaped(std::string& out, std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    } else if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {  // the C1 controls, U+0080 to U+009F
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", next);
      ++i;
    } else {
      out += text[i];
    }
  }
}

std::string text_line(LogLevel level, std::string_view room, std::string_view message) {
  std::string line = fmt::format("{} {} ", iso8601(SystemClock().now()), name_of_level(level));
  append_escaped(line, room);
  line += ": ";
  append_escaped(line, message);
  if (const std::string_view trace = LogTrace::current(); !trace.empty()) line += fmt::format(" [trace {}]", trace);
  return line += '\n';
}

thread_local std::string trace;

constexpr std::size_t kVersionLength = 2, kTraceLength = 32, kSpanLength = 16, kFlagsLength = 2;

bool is_hex(std::string_view text) {
  return std::ranges::all_of(text, is_lower_hex);
}

}  // namespace

void set_log_level(LogLevel level) {
  threshold = level;
}

LogLevel log_level() {
  return threshold;
}

bool parse_log_level(std::string_view name, LogLevel& level) {
  for (std::size_t i = 0; i < kLevelNames.size(); ++i) {
    if (kLevelNames[i] == name) {
      level = static_cast<LogLevel>(i);
      return true;
    }
  }
  return false;
}

void set_log_writer(std::function<void(std::string_view)> writer) {
  const std::lock_guard lock(write_mutex);
  log_writer = std::move(writer);
}

void log(LogLevel level, std::string_view room, std::string_view message) {
  if (level == LogLevel::off || level < threshold.load(std::memory_order_relaxed)) return;
  const std::string valid = to_valid_utf8(utf8_prefix(message, kMaxMessageBytes));
  const std::string line = text_line(level, room, valid);
  // The kernel keeps only short writes to a pipe whole; the lock keeps ours whole, too. When stderr is
  // gone there is nobody left to tell.
  const std::lock_guard lock(write_mutex);
  if (log_writer)
    log_writer(line);
  else
    static_cast<void>(write_all(STDERR_FILENO, line));
}

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
