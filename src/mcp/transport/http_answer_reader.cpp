#include "mcp/transport/http_answer_reader.h"

#include "base/run/log.h"
#include "base/text/text.h"
#include "mcp/client/client_limits.h"
#include "mcp/wire/incoming_json.h"

#include <fmt/format.h>

#include <utility>

namespace holdfast::mcp {

HttpAnswerReader::HttpAnswerReader(StreamPlace& place, std::function<void(Json)> on_value)
    : place_(place),
      on_value_(std::move(on_value)),
      parser_([this](net::SseEvent event) { take_event(std::move(event)); }, kMaxIncomingBytes) {}

Result<void> HttpAnswerReader::take(const net::HttpAnswer& head, std::string_view bytes) {
  if (form_ == Form::unknown) {
    const std::string type = to_ascii_lower(head.header("content-type").substr(0, 64));
    form_ = trim(std::string_view(type).substr(0, type.find(';'))) == "text/event-stream" ? Form::stream : Form::text;
  }
  const bool fits = form_ == Form::stream ? parser_.feed(bytes) : text_.size() + bytes.size() <= kMaxIncomingBytes;
  if (!fits) return fail(ErrorKind::too_large, fmt::format("the server sent a message of more than {} bytes", kMaxIncomingBytes));
  if (form_ == Form::text) text_ += bytes;
  return {};
}

void HttpAnswerReader::take_event(net::SseEvent event) {
  if (!event.id.empty()) place_.last_event_id = std::move(event.id);
  if (event.retry_ms) place_.retry = std::chrono::milliseconds(*event.retry_ms);
  if (event.data.empty() || !(event.event.empty() || event.event == "message")) return;
  ++events_;
  auto value = parse_incoming(event.data, "a server");
  if (value) return on_value_(*std::move(value));
  ++garbage_;
  log(LogLevel::debug, "mcp", fmt::format("an event of a server is no message: {}", utf8_prefix(event.data, 200)));
}

Result<void> HttpAnswerReader::finish() {
  if (form_ != Form::text || trim(text_).empty()) return {};
  auto value = parse_incoming(std::exchange(text_, {}), "a server");
  if (!value) return fail(ErrorKind::corrupt, "the server's answer is not JSON: " + value.error().message);
  on_value_(*std::move(value));
  return {};
}

}  // namespace holdfast::mcp
