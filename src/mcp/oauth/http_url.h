#pragma once

// Addresses (net/http/http_url.h) and forms, as authorization uses them.

#include "net/http/http_url.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::mcp::oauth {

using net::HttpUrl;
using net::parse_http_url;
using net::parse_peer_url;

// application/x-www-form-urlencoded, for queries and bodies.
using Fields = std::vector<std::pair<std::string, std::string>>;
std::string write_form(const Fields& fields);
// Errors: invalid (broken escapes).
Result<Fields> read_form(std::string_view text);

}  // namespace holdfast::mcp::oauth
