#pragma once

// Old project paths to new ones, as pure string work (transcript-archive §6). No file system is asked: the paths may be of
// another machine.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::transcripts {

enum class PathLevel { none, cwd, fields, all };

class PathMap {
 public:
  // Longest old path first, whatever the order of adding. Windows and POSIX paths; a trailing slash of either is ignored.
  void add(std::string_view old_root, std::string_view new_root);
  bool empty() const { return pairs_.empty(); }

  // The value with its root replaced: when it equals an old root, or goes on with a separator behind it. nullopt: no match, or no
  // change.
  std::optional<std::string> translate(std::string_view value) const;
  struct Match {
    std::size_t from = 0, to = 0;  // the old root in the text
    std::string replacement;
  };
  // Inside longer text, at path boundaries, from left to right, never overlapping (level all).
  std::vector<Match> occurrences(std::string_view text) const;

 private:
  struct Pair {
    std::string old_root, new_root;
    bool old_windows = false, new_windows = false;
  };
  std::vector<Pair> pairs_;
};

}  // namespace holdfast::transcripts
