#pragma once

// The name Claude Code gives to the folder of a project (transcript-archive §1.1, on-disk §2).
//
// The name is made from the real path, letter by letter; it cannot be turned back, and several paths share one name. So it is
// only ever computed and compared, never decoded. On Linux the client takes the letters as the file system has them. A home or a
// project that came from a Mac may have them in the other Unicode form (decomposed or composed), and a path may be typed in
// either: when something is looked for all forms count, and what is new is named as the client would.

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::transcripts {

// Names up to this many characters are whole; longer ones are cut there and end in "-" and a hash.
inline constexpr std::size_t kWholeFolderName = 200;

// Pure: nothing on disk is looked at. The path is taken as it is (canonicalise it first).
std::string project_folder_name(std::string_view canonical_path);

// The names that this path may have been given: as it is, composed, decomposed; each once. One for nearly every path.
std::vector<std::string> project_folder_names(std::string_view canonical_path);

// Could sessions of this path lie in this folder? Equality with one of the names when they are whole; of cut names the hash is
// not compared, because builds of the client differ in it.
bool is_folder_of(std::string_view folder_name, std::string_view canonical_path);

// What the client would take as the project's path: absolute, symbolic links resolved as far as the path exists.
// Errors: invalid (empty, NUL).
Result<std::string> canonical_project(const std::string& path);
// The same of a folder that is there: a copy for any other could not be resumed. Errors: also not_found.
Result<std::string> existing_project(const std::string& path);

}  // namespace holdfast::transcripts
