#pragma once

// Follows a link of a search result and returns its text (threads-and-research §10, `follow_links`).
//
// Only http and https. Addresses that are loopback, private, link-local, multicast or a cloud's metadata service are refused
// after name resolution, for the first request and after every redirect, and the connection goes to the very address that was
// judged. At most kFetchBytes, kFetchTime, kFetchRedirects. HTML is reduced to its text and title; scripts and styles are
// dropped. What comes back is data, never instructions.

#include "base/result.h"

#include <chrono>
#include <functional>
#include <memory>
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

// The text of an HTML page, block elements on lines of their own; entities decoded. `title` gets <title>; may be null.
std::string text_of_html(std::string_view html, std::string* title);

}  // namespace holdfast::research
