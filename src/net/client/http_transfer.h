#pragma once

// One call on its way: what libcurl asks for and delivers. It knows the call's limits and keeps the first thing that went wrong,
// because libcurl only says that a callback gave up.
//
// Lives for one HttpClient::send(), on its thread. Nothing is thrown through libcurl's C frames.

#include "net/client/http_client.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace holdfast::net {

class HttpTransfer {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  HttpTransfer(const HttpCall& call, TimePoint now) : call_(call), last_byte_(now) {}

  // For CURLOPT_READFUNCTION, SEEKFUNCTION, HEADERFUNCTION, WRITEFUNCTION with a HttpTransfer as their data.
  static std::size_t on_read(char* to, std::size_t size, std::size_t count, void* transfer);
  static int on_seek(void* transfer, std::int64_t offset, int origin);
  static std::size_t on_header(char* line, std::size_t size, std::size_t count, void* transfer);
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* transfer);

  bool has_body() const;  // to be sent, also an empty one
  std::uint64_t body_size() const { return call_.body_fd >= 0 ? call_.body_size : call_.body.size(); }

  // Between two steps: the caller may give up, the peer may have gone silent. `connected`: the peer has been reached; what comes
  // before is limited by the time for connecting. The error is kept, too.
  bool may_go_on(TimePoint now, bool connected);

  const std::optional<Error>& failure() const { return failure_; }
  HttpAnswer& answer() { return answer_; }

 private:
  std::size_t read(char* to, std::size_t room);
  bool header(std::string_view line);
  bool body(std::string_view bytes);
  bool give_up(Error error);  // false

  const HttpCall& call_;
  HttpAnswer answer_;
  std::optional<Error> failure_;
  std::uint64_t sent_ = 0, received_ = 0;
  std::size_t header_bytes_ = 0;
  TimePoint last_byte_;
  TimePoint next_report_{};
  bool connected_ = false;
  bool moved_ = false;  // a byte went either way since may_go_on() looked last
};

}  // namespace holdfast::net
