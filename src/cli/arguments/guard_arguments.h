#pragma once

// What `holdfast guard` and the commands below it are given.

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::cli {

struct GuardArguments {
  std::vector<std::string> words;  // an id, or ids; cat: an id, then a file of it
  bool watch = false, hook = false;
  bool install = false, uninstall = false, install_hook = false;
  bool gone = false;         // list
  std::int64_t version = 0;  // show, cat; 0: all of them, the newest
  std::string as_of;         // a time, as base/run/when.h reads it
  bool partial = false;      // cat: what is left of a damaged file
  bool yes = false;          // forget
};

}  // namespace holdfast::cli
