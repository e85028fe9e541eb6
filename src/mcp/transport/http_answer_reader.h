#pragma once

// The body of an HTTP answer as JSON values, whichever of its two forms it has: one JSON text, or an event stream.
// No sockets here.

#include "base/json/json.h"
#include "net/client/http_client.h"
#include "net/http/sse.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::mcp {

// What is remembered of a stream from one connection to the next.
struct StreamPlace {
  std::string last_event_id;                       // empty: it cannot be resumed
  std::optional<std::chrono::milliseconds> retry;  // the wait that the server asks for
};

class HttpAnswerReader {
 public:
  // on_value is called for every value as it comes; place is kept up to date, and outlives this.
  HttpAnswerReader(StreamPlace& place, std::function<void(Json)> on_value);

  // A piece of a successful answer. Errors: too_large (kMaxIncomingBytes for one value).
  Result<void> take(const net::HttpAnswer& head, std::string_view bytes);
  // The answer is whole. Errors: corrupt (a body that is neither empty nor JSON).
  Result<void> finish();

  bool is_stream() const { return form_ == Form::stream; }
  std::uint64_t events() const { return events_; }    // with data, so far
  std::uint64_t garbage() const { return garbage_; }  // of which not JSON

 private:
  enum class Form { unknown, text, stream };
  void take_event(net::SseEvent event);

  StreamPlace& place_;
  std::function<void(Json)> on_value_;
  net::SseParser parser_;
  Form form_ = Form::unknown;
  std::string text_;
  std::uint64_t events_ = 0, garbage_ = 0;
};

}  // namespace holdfast::mcp
