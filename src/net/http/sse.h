#pragma once

// Server-sent events as text: no sockets here.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::net {

struct SseEvent {
  std::string id;     // empty: none
  std::string event;  // empty: "message"
  std::string data;
  std::optional<int> retry_ms;
};

// Appends one event with its closing blank line. Newlines in data become several data lines.
void append_sse(std::string& out, const SseEvent& event);

// Feeds on bytes in any portions. An event with an id or a retry and no data is delivered too (its
// data is empty), because a client that wants to resume needs them. Accepts \n, \r\n and \r,
// multi-line data, comments, a BOM.
class SseParser {
 public:
  explicit SseParser(std::function<void(SseEvent)> on_event, std::size_t max_event_bytes = 64 * 1024 * 1024);
  // False once an event has grown past the limit; the parser then ignores further input.
  bool feed(std::string_view bytes);

 private:
  void take_line(std::string_view line);
  std::function<void(SseEvent)> on_event_;
  std::size_t max_event_bytes_;
  std::string line_;
  SseEvent pending_;
  bool has_data_ = false, skip_newline_ = false, at_start_ = true, overflow_ = false;
};

}  // namespace holdfast::net
