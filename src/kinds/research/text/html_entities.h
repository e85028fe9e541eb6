#pragma once

// Characters that HTML writes by name or number.

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::research {

// The entity at the front of text, which begins with '&': appended to out, decoded. Returns how many bytes it takes; 0 when it is
// none that we know, so that the '&' stands for itself.
std::size_t append_entity(std::string_view text, std::string& out);

// What pages mean by the numbers 128 to 159 (WHATWG): Windows-1252.
std::uint32_t code_point_of_latin1(unsigned char byte);

}  // namespace holdfast::research
