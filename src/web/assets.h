#pragma once

// Files that are part of the program (src/web/assets), so that a page asks nobody else for anything.

#include <string_view>

namespace holdfast::web {

std::string_view style_sheet();

}  // namespace holdfast::web
