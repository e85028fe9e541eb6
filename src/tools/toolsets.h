#pragma once

// The groups of tools that a person can choose from (design §4): --tools reasoning,documents.

#include "base/result.h"

#include <set>
#include <string>
#include <vector>

namespace holdfast::tools {

// "all" is every group. Errors: invalid, naming the groups there are.
Result<std::set<std::string, std::less<>>> read_toolsets(const std::vector<std::string>& names);

}  // namespace holdfast::tools
