#pragma once

// The frame every page has: head, style, header, main, and the HTTP headers that keep a page to itself.

#include "net/http_server.h"
#include "web/html.h"

#include <functional>
#include <string>
#include <string_view>

namespace holdfast::web {

// Where the style sheet is served; the name changes with its content, so browsers may keep it for good.
const std::string& style_path();
net::HttpResponse style_response();

// A whole page; `body` writes what stands in <main>.
std::string make_page(std::string_view title, std::string_view version, const std::function<void(Html&)>& body);

// With the headers that a page of ours always has: no scripts, no frames, nothing from elsewhere.
net::HttpResponse page_response(int status, std::string html);

}  // namespace holdfast::web
