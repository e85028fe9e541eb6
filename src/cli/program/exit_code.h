#pragma once

#include "base/error.h"

#include <string_view>

namespace holdfast::cli {

// How the program ends after an error: the one table of kinds to exit codes (design 8.23).
//
//   0 done · 1 failed · 2 usage · 3 not found · 4 ambiguous · 5 refused or conflict · 6 damaged · 7 unreachable
int exit_code(ErrorKind kind);

// Code of an error that says: the person pressed Ctrl-C while something was waited for. Ends as shells expect it, with 130.
inline constexpr std::string_view kInterrupted = "interrupted";
int exit_code(const Error& error);

}  // namespace holdfast::cli
