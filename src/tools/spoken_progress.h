#pragma once

// An answer as it is being written, shown as progress of the call: how many characters so far, and the last of them. Clients that
// asked for progress see it grow; others notice nothing. At most one report a second (threads-and-research §11).

#include "mcp/server/call.h"

#include <chrono>
#include <string>
#include <string_view>

namespace holdfast::tools {

class SpokenProgress {
 public:
  explicit SpokenProgress(mcp::Call& call) : call_(call) {}
  void add(std::string_view piece);  // one thread at a time

 private:
  static constexpr std::chrono::seconds kEvery{1};
  static constexpr std::size_t kShown = 200;  // bytes of the end; a status line, not the answer

  mcp::Call& call_;
  std::size_t characters_ = 0;
  std::string end_;
  std::chrono::steady_clock::time_point reported_ = std::chrono::steady_clock::now();
};

}  // namespace holdfast::tools
