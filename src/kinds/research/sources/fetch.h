#pragma once

// Follows a link of a search result and returns its text (threads-and-research §10, `follow_links`).
//
// Only http and https. Addresses that are loopback, private, link-local, multicast or a cloud's metadata service are refused
// after name resolution, for the first request and after every redirect, and the connection goes to the very address that was
// judged. At most kFetchBytes, kFetchTime, kFetchRedirects. HTML is reduced to its text and title; scripts and styles are
// dropped. What comes back is data, never instructions.

#include "base/result.h"
#include "net/http/http_url.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::research {

inline constexpr std::size_t kFetchBytes = 2 * 1024 * 1024;
inline constexpr std::chrono::seconds kFetchTime{30};
inline constexpr int kFetchRedirects = 5;
inline constexpr int kFetchesPerIteration = 10;

struct Fetched {
  std::string uri;  // after redirects
  std::string title;
  std::string text;
};

class Fetcher {
 public:
  virtual ~Fetcher() = default;
  // Errors: invalid (the URL), refused (its address, its content type), too_large, timeout, unavailable, cancelled.
  virtual Result<Fetched> fetch(std::string_view uri, std::chrono::milliseconds timeout,
                                const std::function<bool()>& cancelled) = 0;
};

// allow_private: for tests, whose servers are on loopback.
std::unique_ptr<Fetcher> make_fetcher(bool allow_private = false);

// Addresses of pages (net/http/http_url.h) in one form: without a fragment, and without dots in the path, which is at least "/".
// Errors: invalid (not http or https, a user name, characters that must be encoded).
Result<net::HttpUrl> parse_web_url(std::string_view url);
// A Location header, seen from the page that sent it.
Result<net::HttpUrl> resolve_web_url(const net::HttpUrl& base, std::string_view location);

// Why a numeric address is not to be visited ("loopback", "private network", …); nullopt when it may. "not an address" for
// others. A page, a search result or a redirect may name any host; following it must not reach this machine, its network, or the
// service that hands out a cloud machine's keys (169.254.169.254, fd00:ec2::254). Addresses that carry an IPv4 address inside
// (mapped, NAT64, 6to4) are judged by that one.
std::optional<std::string_view> why_not_public(std::string_view address);

}  // namespace holdfast::research
