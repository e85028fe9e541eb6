#pragma once

// One HTTP/1.x request out of bytes: no sockets, no clock.
//
// Stricter than RFC 9112 asks, because a request that two programs read differently is how requests
// are smuggled: line ends are CRLF, folded headers, a second Content-Length or Host, Content-Length
// beside Transfer-Encoding, codings other than "chunked" and control characters are all refused.
// Trailers are checked and dropped. After a failure the connection cannot be used further, because
// nobody knows where the next request would begin.

#include "net/http/http_server.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::net {

class HttpReader {
 public:
  enum class State { idle, header, body, complete, failed };  // idle: nothing of a request seen yet

  explicit HttpReader(const HttpLimits& limits) : max_header_(limits.max_header_bytes), max_body_(limits.max_body_bytes) {}

  // Takes bytes in any portions and returns how many belong to this request; the rest is the next
  // one's. Less than all is taken only when the request is complete or has failed, or its head has
  // just ended and that is where to stop.
  enum class Stop { at_the_end, behind_the_head };
  std::size_t feed(std::string_view bytes, Stop stop = Stop::at_the_end);

  State state() const { return state_; }

  // What the header said; meaningful from State::body on.
  bool keep_alive() const { return keep_alive_; }
  bool http_1_0() const { return http_1_0_; }
  bool expects_continue() const { return expects_continue_; }
  std::size_t body_bytes() const { return request_.body.size(); }  // so far

  // State::failed: the status to answer with, and why in one line.
  int failure_status() const { return failure_status_; }
  const char* failure_reason() const { return failure_reason_; }

  // What has been read and not been taken yet (peer is empty). State::body: all but the body, which goes on. State::complete: the
  // rest, and the reader is as new.
  HttpRequest take();
  void reset();

 private:
  enum class Part { start, head, sized_body, chunk_line, chunk_data, chunk_end, trailer };

  std::size_t feed_head(std::string_view bytes);
  std::size_t feed_sized(std::string_view bytes);
  std::size_t feed_chunk_data(std::string_view bytes);
  std::size_t feed_line(std::string_view bytes);

  void parse_head(std::string_view head);
  bool parse_request_line(std::string_view line);
  bool parse_target();
  bool take_field(std::string_view name, std::string_view value);
  bool finish_head();
  void parse_chunk_line(std::string_view line);
  void parse_trailer(std::string_view line);
  bool refuse(int status, const char* reason);  // always false

  std::size_t max_header_, max_body_;
  State state_ = State::idle;
  Part part_ = Part::start;
  std::string partial_;  // the head or the line that has not ended yet
  HttpRequest request_;
  std::uint64_t remaining_ = 0;  // of the body, or of the chunk
  std::uint64_t content_length_ = 0;
  std::size_t trailer_bytes_ = 0;
  const char* failure_reason_ = "";
  int failure_status_ = 0;
  bool has_length_ = false, chunked_ = false, has_host_ = false, says_close_ = false, says_keep_alive_ = false;
  bool keep_alive_ = false, http_1_0_ = false, expects_continue_ = false, body_started_ = false;
};

}  // namespace holdfast::net
