#include "tools/toolsets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace holdfast::tools {

namespace {

constexpr std::array<std::string_view, 5> kToolsets = {"reasoning", "documents", "research", "transcripts", "runner"};

}  // namespace

Result<std::set<std::string, std::less<>>> read_toolsets(const std::vector<std::string>& names) {
  std::set<std::string, std::less<>> chosen;
  for (const std::string& name : names) {
    if (name == "all")
      chosen.insert(kToolsets.begin(), kToolsets.end());
    else if (std::ranges::find(kToolsets, name) != kToolsets.end())
      chosen.insert(name);
    else
      return fail(ErrorKind::invalid, fmt::format("there is no toolset called {}", name),
                  fmt::format("use all, or some of {}", fmt::join(kToolsets, ", ")));
  }
  return chosen;
}

}  // namespace holdfast::tools
