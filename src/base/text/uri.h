#pragma once

// file:// URIs and the identity of a project root (reasoning-sessions R4, R5).

#include "base/result.h"

#include <string>
#include <string_view>

namespace holdfast {

// The canonical form of a root given as a URI or an absolute path (also a Windows one). It is plain
// ASCII, and its own canonical form. Purely lexical: nothing on disk is looked at. Schemes other than
// file are roots, too. Errors: invalid (relative path, no scheme, control characters, broken escapes).
//
//   /home//me/my app/, file://localhost/home/me/x/../my%20app  ->  file:///home/me/my%20app
//   C:\x, file:///c%3A/x/                                      ->  file:///c:/x
Result<std::string> canonical_root(std::string_view uri_or_path);

// Decoded last segment, for display only, never a key. "file:///" gives "/".
std::string root_display_name(std::string_view canonical_uri);

// The local path of a file:// URI; invalid for another scheme or another host.
Result<std::string> path_of_file_uri(std::string_view uri);
std::string file_uri_of_path(std::string_view absolute_path);

std::string percent_encode(std::string_view text);  // everything but unreserved characters
Result<std::string> percent_decode(std::string_view text);

}  // namespace holdfast
