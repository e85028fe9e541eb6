#pragma once

// The words of a violation: short, for a model or a person who has to mend the value.
// Everything here is bounded: keys and values are cut, lists end after some entries.

#include "base/json/json.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::schema {

// A value in a few characters of JSON; what does not fit ends in "…".
std::string brief(const Json& value);
std::string quoted(std::string_view name);  // cut, in quotes

// "must be an integer or null, got \"x\""; mask of Type in schema_program.h.
std::string wrong_type(std::uint8_t wanted, const Json& got);
// "must be one of \"a\", \"b\"; got \"c\"". Only the first kShownValues of the total need be given.
inline constexpr std::size_t kShownValues = 12;
std::string not_listed(std::span<const Json* const> wanted, std::size_t total, const Json& got);

// 3, "item" gives "3 items".
std::string counted(std::uint64_t count, std::string_view noun);

// The known name that is nearest to a wrong one; empty when none is near. Looks at no more than
// kMaxComparedNames of them.
inline constexpr std::size_t kMaxComparedNames = 500;
std::string_view nearest(std::string_view wrong, std::span<const std::string_view> known);
// Steps that costs: the square of a name's length, for every name.
std::size_t cost_of_nearest(std::string_view wrong, std::size_t known);

}  // namespace holdfast::schema
