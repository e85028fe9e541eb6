#pragma once

// What every match of a regular expression contains, read off the pattern itself.

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

struct RequiredLiteral {
  std::vector<std::string> any_of;  // every match contains one of these; empty when nothing is known
  bool is_all = false;              // and where one of them is, there is a match
};

// Anything that is not plainly understood gives up: "nothing is known" is always right. Ignoring case, literals are ASCII without
// the letters that characters beyond it are the other case of (k and s).
RequiredLiteral required_literal(std::string_view pattern, bool ignore_case);

}  // namespace holdfast::documents
