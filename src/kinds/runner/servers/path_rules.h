#pragma once

// Which folders may be given to a server as roots (persistent-client §9).
//
// Roots bind no server: this is the check on our own side. A folder is judged by the name it was given and by the one it resolves
// to, component by component ("/etcetera" is not "/etc"), and by what it is now: whoever keeps a folder compares device and inode
// before each use.

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::runner {

struct PathRules {
  std::string home;          // of the user who runs us; absolute, or empty
  std::string state_folder;  // our own; absolute, or empty
  std::string base;          // relative names begin here; absolute
  bool allow_root = false;   // "/" itself
  bool allow_home = false;   // the home folder itself where it is a place of the system (/root)
};

struct JudgedFolder {
  std::string path;  // real: no links, no trailing slash
  std::uint64_t device = 0, inode = 0;
  std::vector<std::string> warnings;  // what a person should know once
};

// given: a path, "~", "~/x", a relative name, or a file:// URI (no or "localhost" as host; no query, fragment, %00, %2F).
// Errors: invalid with code bad_path; refused with code root_denied, system_path or private_path; not_found with code missing;
// refused with code not_a_directory or not_accessible.
Result<JudgedFolder> judge_folder(std::string_view given, const PathRules& rules);

// The name that was given as an absolute path; nothing on disk is looked at, nothing is judged. Errors: invalid (bad_path).
Result<std::string> absolute_folder(std::string_view given, const PathRules& rules);

// An absolute path without "." and "..", links followed as far as there is anything.
std::string real_as_far_as_possible(const std::string& path);

// Why nothing at or below this place may be used, by a name without "." and ".."; nothing: it may.
std::optional<Error> forbidden_place(std::string_view path, const PathRules& rules);

// Whether the folder is still the one that was judged.
bool is_still_there(const JudgedFolder& folder);

}  // namespace holdfast::runner
