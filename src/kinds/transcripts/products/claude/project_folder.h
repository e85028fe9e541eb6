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

// Which of the working directories of a session is its project's (transcript-archive §1.2).
//
// `cwd` changes inside a session (cd, worktrees, a moved folder), and the folder's name cannot be decoded; but of the paths that
// occur, the one whose name is the folder's is the project's.

class ProjectRoot {
 public:
  explicit ProjectRoot(std::string project_folder) : folder_(std::move(project_folder)) {}

  // In the order of the records. Pure text: nothing on disk is looked at.
  void see(std::string_view cwd);
  bool certain() const { return !exact_.empty(); }  // nothing seen from here on changes the answer

  // The first cwd that has the folder's name; else the nearest ancestor of a cwd that has; else the first cwd; else empty.
  const std::string& root() const { return certain() ? exact_ : !ancestor_.empty() ? ancestor_ : first_; }
  const std::string& first_cwd() const { return first_; }

 private:
  std::string folder_, first_, exact_, ancestor_;
};

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
