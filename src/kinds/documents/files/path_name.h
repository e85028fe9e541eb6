#pragma once

// What the text of a path may look like, before anything is opened (document-review §4 Paths).
//
// These are rules about names alone. Where a path leads is decided by the kernel (library.cpp), never here.

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

// Names that begin with this are ours: files being written beside their target. Never listed, never read, never made by others.
inline constexpr std::string_view kTemporaryPrefix = ".holdfast-";

enum class PathFor { existing, creating };

// Its segments, without empty ones and "."; ".." stays for the kernel. What is to be created has to be spelled plainly: no '"',
// no "." or "..", no doubled or trailing '/'.
// Errors: invalid with code path_denied (absolute, NUL, control characters, not UTF-8, '"', too long) or bad_argument (spelling).
Result<std::vector<std::string>> path_segments(std::string_view path, PathFor purpose);

// Whether the ".." among them lead above where they began, links not counted.
bool leaves_its_folder(const std::vector<std::string>& segments);

std::string join_path(const std::vector<std::string>& segments);
// "" for a path of one segment.
std::string_view parent_of(std::string_view path);
std::string_view name_of_path(std::string_view path);

// A segment begins with '.': hidden files are no documents (nobody means to show .env to a model).
bool has_hidden_segment(std::string_view path);
bool has_git_segment(std::string_view path);
// A name that a path can contain, so a file that can be asked for: UTF-8 without control characters.
bool is_speakable(std::string_view name);

}  // namespace holdfast::documents
