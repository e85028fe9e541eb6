#pragma once

// For tests: where the files of tests/data are.
//
// Defined in cmake/test_data.cpp, the one source that is compiled with the path of this clone: so the compiled tests of one clone
// serve another from the compiler's cache.

#include <string>

namespace holdfast {

std::string test_data(const std::string& below = {});

}  // namespace holdfast
