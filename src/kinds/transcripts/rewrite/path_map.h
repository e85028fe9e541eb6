#pragma once

// Old project paths to new ones, as pure string work (transcript-archive §6). No file system is asked: the paths may be of
// another machine.
//
// A Windows root (a drive letter or "\\server") is met in either slash and either case of its drive letter; what stands behind
// it keeps its separators, unless it becomes a POSIX path. The root of a whole machine ("/", "C:\") is met by itself alone:
// everything lies below it, so what lies there says nothing about the project.
//
// Any thread, once all pairs are added.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::transcripts {

constexpr bool is_slash(char c) {
  return c == '/' || c == '\\';
}

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
    std::size_t from = 0, to = 0;  // the old root in the text; with the rest of its path where separators change
    std::string replacement;
  };
  // The same as a change at the front of the value, which leaves the rest of it alone.
  std::optional<Match> root_of(std::string_view value) const;
  // Inside longer text, at path boundaries, from left to right, never overlapping (level all).
  std::vector<Match> occurrences(std::string_view text) const;

  // Old roots, for callers that want to know which texts need not be asked about.
  std::vector<std::string_view> old_roots() const;

 private:
  struct Pair {
    std::string old_root, new_root;  // without a trailing slash, unless they are nothing else
    bool old_windows = false, new_windows = false;
    bool whole_machine = false;

    bool begins(std::string_view value) const;
    Match match(std::string_view text, std::size_t from, std::size_t path_end) const;
    std::size_t find_in(std::string_view text, std::size_t from) const;
  };
  std::vector<Pair> pairs_;
};

}  // namespace holdfast::transcripts
