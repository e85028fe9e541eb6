#pragma once

// Which of the working directories of a session is its project's (transcript-archive §1.2).
//
// `cwd` changes inside a session (cd, worktrees, a moved folder), and the folder's name cannot be decoded; but of the paths that
// occur, the one whose name is the folder's is the project's.

#include <string>
#include <string_view>

namespace holdfast::transcripts {

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

}  // namespace holdfast::transcripts
