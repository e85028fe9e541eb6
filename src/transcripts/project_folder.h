#pragma once

// The name Claude Code gives to the folder of a project (transcript-archive §1.1, on-disk §2).
//
// The name is made from the real path, letter by letter; it cannot be turned back, and several paths share one name. So it is
// only ever computed and compared, never decoded.

#include "base/result.h"

#include <string>
#include <string_view>

namespace holdfast::transcripts {

// Names up to this many characters are whole; longer ones are cut there and end in "-" and a hash.
inline constexpr std::size_t kWholeFolderName = 200;

// Pure: nothing on disk is looked at. The path is taken as it is (canonicalise it first).
std::string project_folder_name(std::string_view canonical_path);

// Could sessions of this path lie in this folder? Equality for whole names; for cut names the hash is not compared, because
// builds of the client differ in it.
bool is_folder_of(std::string_view folder_name, std::string_view canonical_path);

// What the client would take as the project's path: absolute, symbolic links resolved as far as the path exists, NFC.
// Errors: invalid (empty, NUL).
Result<std::string> canonical_project(const std::string& path);

}  // namespace holdfast::transcripts
