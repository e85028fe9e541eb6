#pragma once

// Addresses of pages: cut into their parts, joined with what a redirect says, brought into one form.

#include "base/result.h"

#include <string>
#include <string_view>

namespace holdfast::research {

struct WebUrl {
  std::string scheme;  // http or https
  std::string host;    // in lower case; of IPv6 without the brackets
  std::string port;    // decimal; the scheme's when none was given
  std::string target;  // path and query, at least "/"; no fragment

  std::string text() const;  // canonical: without the scheme's own port and without a fragment
};

// Errors: invalid (not http or https, a user name, characters that must be encoded).
Result<WebUrl> parse_web_url(std::string_view url);
// A Location header, seen from the page that sent it.
Result<WebUrl> resolve_web_url(const WebUrl& base, std::string_view location);

}  // namespace holdfast::research
