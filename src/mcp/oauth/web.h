#pragma once

// The requests of authorization: small JSON documents, from peers that may be hostile. Bounded in size, time and redirects;
// a redirect to another origin is not followed. Blocking; one thread at a time.

#include "base/json/json.h"
#include "net/client/http_client.h"
#include "net/http/http_url.h"

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::mcp::oauth {

// Addresses (net/http/http_url.h) and forms, as authorization uses them.
using net::HttpUrl;
using net::parse_http_url;
using net::parse_peer_url;

// application/x-www-form-urlencoded, for queries and bodies.
using Fields = std::vector<std::pair<std::string, std::string>>;
std::string write_form(const Fields& fields);
// Errors: invalid (broken escapes).
Result<Fields> read_form(std::string_view text);

// Metadata of large identity providers is some 10 KiB; tokens with many claims as much.
inline constexpr std::uint64_t kMaxDocumentBytes = 1024 * 1024;
inline constexpr int kMaxDocumentDepth = 32;
// Trailing slashes and moved folders; a chain is somebody's defect.
inline constexpr int kMaxRedirects = 3;
// A person waits.
inline constexpr std::chrono::milliseconds kWebTimeout{20'000};

struct WebAnswer {
  int status = 0;
  Json body;               // null when it was not JSON
  std::string dpop_nonce;  // that the server wants to see in proofs
};

class Web {
 public:
  Web(net::HttpClient& client, std::stop_token stop) : client_(client), stop_(std::move(stop)) {}

  // nullopt: there is no such document (any status of 4xx). Errors: those of HttpClient, unavailable (other statuses), refused
  // (redirects), corrupt (not JSON).
  Result<std::optional<Json>> get(const std::string& url);
  // Any status is an answer. Errors: those of HttpClient.
  Result<WebAnswer> post_form(const std::string& url, const Fields& fields, const Fields& headers);
  Result<WebAnswer> post_json(const std::string& url, const JsonObject& body);

  const std::stop_token& stop() const { return stop_; }

 private:
  net::HttpCall call_to(const std::string& url) const;
  Result<WebAnswer> post(net::HttpCall call);

  net::HttpClient& client_;
  std::stop_token stop_;
};

}  // namespace holdfast::mcp::oauth
