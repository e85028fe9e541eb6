#pragma once

// The frame every page has: head, style, navigation, search box, main, and the HTTP headers that keep a page to itself (no inline
// script or style, no frames, nothing from elsewhere).
//
//   return show_page(request, {"Storage", Section::storage}, [&](Html& page) { page.element("h1", "Storage"); ... });
//
// A page has one <h1>, written by its body. Parts that change while one looks stand in an element with an id and `data-live`
// (assets/app.js): every such element is replaced by that of the same id when the server tells of a change; the value names what
// is waited for: the id of a session, or "*" for any.

#include "net/http/http_server.h"
#include "web/pages/html.h"
#include "web/pages/pages.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::web {

enum class Section { none, timeline, search, review, research, notices, storage };

struct Frame {
  std::string title;
  Section section = Section::none;
  std::vector<std::string_view> scripts = {};  // assets beside app.js
  std::vector<std::string_view> styles = {};   // assets beside style.css
  std::string search_text = {};                // what stands in the search box
};

net::HttpResponse show_page(const PageRequest& request, const Frame& frame, const std::function<void(Html&)>& body,
                            int status = 200);
// The same for somebody who is not logged in: no navigation.
net::HttpResponse show_bare_page(const PageRequest& request, std::string title, const std::function<void(Html&)>& body,
                                 int status);
// A part of a page, for the script that asked for it.
net::HttpResponse show_fragment(Html part);

// With the headers that a page of ours always has.
net::HttpResponse page_response(int status, std::string html);
// After a POST: the browser shows another page, and "reload" does not send the form again. `path` is one of ours.
net::HttpResponse see_other(std::string path);
// A path of this server that a redirect may lead to: nothing that a browser takes for another host.
bool is_own_path(std::string_view path);

// Begins <form method="post"> with its token; the caller closes it.
void open_form(Html& page, const PageRequest& request, std::string_view action, std::string_view css_class = {});

// An error as a page of its own.
net::HttpResponse error_page(const PageRequest& request, const Error& error);

}  // namespace holdfast::web
