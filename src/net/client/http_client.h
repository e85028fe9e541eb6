#pragma once

// HTTP requests to others: TLS, redirects, proxies, by libcurl, which is loaded when the first client is made (linking it would
// cost every start of the program some milliseconds).
//
// Blocking; call from a pool thread or a command. A client keeps its connections; one thread at a time. Certificates are
// always checked, against the system's authorities or those in SSL_CERT_FILE. Only http and https are spoken. Proxies are taken
// from the usual environment variables, except for this machine.

#include "base/result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::net {

struct HttpCall {
  std::string method = "GET";
  std::string url;  // without a user name; credentials belong into headers
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  // Instead of body: a file's first body_size bytes. -1: none.
  int body_fd = -1;
  std::uint64_t body_size = 0;
  // AWS Signature Version 4, made by libcurl over the headers given here; x-amz-content-sha256 must be one of them. Empty
  // access_key: none. Signed calls follow no redirects.
  struct Signing {
    std::string access_key, secret_key, region, service;
  } signing;
  bool follow_redirects = true;  // of GET and HEAD; Authorization is never sent to another host or port
  // A numeric address to connect to, whatever the host's name resolves to: for callers who judged it. The host stays what it is
  // for TLS and in the request. Then no proxy is asked and no redirect followed. Empty: by name.
  std::string pinned_address;
  std::chrono::milliseconds connect_timeout{15'000};
  std::chrono::milliseconds stalled_timeout{60'000};  // no byte for that long
  std::uint64_t max_answer_bytes = 64ULL << 20;       // of `body` of the answer, or of what `sink` is given
  // Gets the answer's body in pieces, only when the status is 2xx; else it is in HttpAnswer::body. May be empty.
  std::function<Result<void>(std::string_view)> sink;
  // Bytes of the two bodies so far; called a few times a second. False stops: cancelled. May be empty.
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

  // Any status is an answer. Errors: invalid (the URL, the method, a header), unavailable (cannot connect, name not found, TLS,
  // the answer was cut off), timeout, too_large, cancelled, io (of body_fd), those of sink. Messages name the URL without its
  // query, and no header.
  virtual Result<HttpAnswer> send(const HttpCall& call) = 0;
};

// What a Retry-After header asks for: seconds, or a date (RFC 9110), which `now` makes a distance; one in the past is zero.
// nullopt for anything else. More than a day is as good as never, and a day is what is said of it.
std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view value, std::chrono::system_clock::time_point now);

}  // namespace holdfast::net
