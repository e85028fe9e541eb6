#pragma once

// Files that are part of the program (src/web/assets), so that a page asks nobody else for anything.
//
// A file is served below /assets/ under a name that changes with its content ("style-3f2a….css"), so browsers may keep it for
// good. They hold nothing secret: no login is needed for them (the page that asks for one is styled, too).

#include "net/http/http_server.h"

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::web {

// The path of "style.css", "app.js", ...; empty when there is no such file.
const std::string& asset_path(std::string_view name);

// The file at a path; nullopt when none is there.
std::optional<net::HttpResponse> asset_at(std::string_view path);

}  // namespace holdfast::web
