#pragma once

// Files of the corpus that no search will find, and why: how many, and the first of them by their paths, for a person to read.

#include <cstddef>
#include <map>
#include <string>

namespace holdfast::research {

class LeftOut {
 public:
  void add(const std::string& path, const std::string& why) { add(path, why, 1); }
  // Of a folder, whose name stands before the paths.
  void add(const std::string& folder, const LeftOut& others);

  std::size_t count() const { return count_; }
  // "3 files … are left out: notes/a.bin (binary); notes/big.txt (longer than 4 MiB); …". Empty when none are.
  std::string sentence() const;

 private:
  static constexpr std::size_t kNamed = 10;  // more than anybody reads in a warning
  void add(const std::string& path, const std::string& why, std::size_t count);

  std::size_t count_ = 0;
  std::map<std::string, std::string> named_;  // by path
};

}  // namespace holdfast::research
