#pragma once

// HTTP requests to others: TLS, redirects, proxies, by libcurl, which is loaded when the first client is made (linking it would
// cost every start of the program some milliseconds).
//
// Blocking; call from a pool thread or a command. A client keeps its connections; one thread at a time.

#include "base/result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::net {

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  // Instead of body: a file's first body_size bytes. -1: none.
  int body_fd = -1;
  std::uint64_t body_size = 0;
  // AWS Signature Version 4, made by libcurl. Empty access_key: none.
  struct Signing {
    std::string access_key, secret_key, region, service;
  } signing;
  bool follow_redirects = true;  // credentials are never sent to another host
  std::chrono::milliseconds connect_timeout{15'000};
  std::chrono::milliseconds stalled_timeout{60'000};  // no byte for that long
  std::uint64_t max_answer_bytes = 64ULL << 20;       // of `body` of the answer, or of what `sink` is given
  // Gets the answer's body in pieces, only when the status is 2xx; else it is in HttpAnswer::body. May be empty.
  std::function<Result<void>(std::string_view)> sink;
  // false stops: cancelled. May be empty.
  std::function<bool(std::uint64_t sent, std::uint64_t received)> progress;
};

struct HttpAnswer {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;

  std::string_view header(std::string_view name) const;  // the last of that name; empty when there is none
};

class HttpClient {
 public:
  // Errors: unavailable (libcurl is not installed, with the package to install).
  static Result<std::unique_ptr<HttpClient>> make();
  virtual ~HttpClient() = default;

  // Any status is an answer. Errors: invalid (the URL), unavailable (cannot connect, name not found, TLS), timeout, too_large,
  // cancelled, those of sink.
  virtual Result<HttpAnswer> send(const HttpRequest& request) = 0;
};

}  // namespace holdfast::net
