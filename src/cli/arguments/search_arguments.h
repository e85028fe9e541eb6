#pragma once

// What `search`, `trace` and `index` are given.

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::cli {

struct SearchArguments {
  std::vector<std::string> words, without, roles;
  std::string file, project, since, until, branch, tool, model, session;
  std::int64_t per_session = 3;
  bool newest = false, no_index = false;
  bool status = false, rebuild = false;  // index
};

}  // namespace holdfast::cli
