#pragma once

// What the commands `review …` are given.

#include <string>
#include <vector>

namespace holdfast::cli {

struct ReviewArguments {
  std::vector<std::string> words;  // ids of changes; of comment: the id, then the text
  std::string path, author, since;
  bool all = false;
  bool commit = false;
  bool base = false, accepted = false;
};

}  // namespace holdfast::cli
