#pragma once

// How long requests took and how they ended, by method and, of tools/call, by tool. For /metrics; I/O thread only.
//
// A client chooses the words of its requests, so only methods and tools that exist make a series; the rest is one called "other".

#include "base/run/histogram.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::mcp {

class RequestTimes {
 public:
  enum class Ending { answered, failed, cancelled };  // failed: an error of the protocol, or a tool that says isError

  struct Series {
    Histogram times{kDurationBounds};
    std::uint64_t answered = 0, failed = 0, cancelled = 0;
  };

  void observe(std::string_view method, std::string_view tool, std::chrono::steady_clock::duration time, Ending ending) {
    Series& series = series_[{std::string(method), std::string(tool)}];
    series.times.observe(time);
    ++(ending == Ending::answered ? series.answered : ending == Ending::failed ? series.failed : series.cancelled);
  }

  const std::map<std::pair<std::string, std::string>, Series>& series() const { return series_; }

 private:
  std::map<std::pair<std::string, std::string>, Series> series_;  // (method, tool); the tool is empty for other methods
};

}  // namespace holdfast::mcp
