#pragma once

// Halves of characters in JSON: JavaScript cuts a text in the middle of an emoji and writes the half as "\\ud800", which the
// grammar allows and parsers refuse.

#include <string>
#include <string_view>

namespace holdfast {

// Escapes of surrogates that have no partner, each replaced by "\\ufffd"; everything else byte for byte.
std::string without_lone_surrogates(std::string_view json_text);

}  // namespace holdfast
