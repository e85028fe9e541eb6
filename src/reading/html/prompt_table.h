#pragma once

// The timeline of a session: what was asked, which tools it took, what failed, what was committed. Collected while turns pass by.

#include "reading/turn.h"

#include <map>
#include <string>
#include <vector>

namespace holdfast::reading {

struct GitCommit {
  std::string hash, branch, words;
};
// "[main 1a2b3c4] Say it" lines that `git commit` prints.
std::vector<GitCommit> commits_in(std::string_view output);

struct PromptLine {
  std::uint64_t line = 0;
  Millis time = 0;
  std::string words;  // on one line, visible
  std::map<std::string, std::size_t> tools;
  std::size_t errors = 0;
  std::vector<GitCommit> commits;
};

class PromptTable {
 public:
  // A line each; more are counted, not kept: nobody reads a table of contents that long.
  static constexpr std::size_t kMostPrompts = 20'000;

  void add(const Turn& turn);
  const std::vector<PromptLine>& lines() const { return lines_; }
  std::size_t prompts() const { return prompts_; }
  std::size_t turns() const { return turns_; }

 private:
  std::vector<PromptLine> lines_;
  std::size_t prompts_ = 0, turns_ = 0;
};

// "Bash 3, Edit"
std::string tools_text(const PromptLine& line);

}  // namespace holdfast::reading
