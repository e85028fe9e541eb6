#pragma once

// What `holdfast run …` is given.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::cli {

struct RunArguments {
  std::string what;                // a file of tasks, or "-"; of show and cancel: a run; of login and logout: a server
  std::vector<std::string> tasks;  // --task
  std::vector<std::string> folders, servers;
  std::string model, mcp_json;
  std::optional<std::int64_t> timeout_s, max_rounds, call_timeout_s, max_result_bytes, max_calls;
  bool stop_on_error = false;
  bool trust = false;  // the project's .mcp.json is agreed to as it is
  bool resume = false;
  std::string resumed;  // the run to resume; empty: the newest that is not finished
};

}  // namespace holdfast::cli
