#pragma once

#include "base/error.h"

namespace holdfast::cli {

// How the program ends after an error: the one table of kinds to exit codes (design 8.23).
//
//   0 done · 1 failed · 2 usage · 3 not found · 4 ambiguous · 5 refused or conflict · 6 damaged · 7 unreachable
int exit_code(ErrorKind kind);

}  // namespace holdfast::cli
