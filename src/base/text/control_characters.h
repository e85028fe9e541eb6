#pragma once

#include <string_view>

namespace holdfast {

// Of C0 (below U+0020), DEL, or C1 (U+0080 to U+009F, which terminals obey, too). The text is UTF-8.
bool has_control_character(std::string_view text);

}  // namespace holdfast
