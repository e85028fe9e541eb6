#pragma once

// What `holdfast guard` and the commands below it are given.

#include <string>
#include <vector>

namespace holdfast::cli {

struct GuardArguments {
  std::vector<std::string> words;  // an id, or ids; cat: an id, then a file of it
  bool watch = false, hook = false;
  bool install = false, uninstall = false, install_hook = false;
  bool gone = false;  // list
  bool yes = false;   // forget
};

}  // namespace holdfast::cli
