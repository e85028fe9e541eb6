#pragma once

// What the commands `review …` are given.

#include <string>
#include <vector>

namespace holdfast::cli {

struct ReviewArguments {
  std::string id;                  // of comment: the change
  std::vector<std::string> words;  // ids; of show: paths, too; of comment: the text
  std::string path, author, since;
  bool all = false;
  bool commit = false;
  bool base = false, accepted = false;
};

}  // namespace holdfast::cli
