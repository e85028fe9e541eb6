#pragma once

// Equality of JSON values as JSON Schema means it (numbers by value, members in any order), for
// enum, const and uniqueItems.

#include "base/json/json.h"

#include <cstdint>

namespace holdfast::schema {

// Both functions look at most this deep; below, values count as different and hash alike. Deeper
// values cannot be parsed (JsonLimits) and are refused in schemas.
inline constexpr std::size_t kMaxComparedDepth = 256;

bool equal(const Json& a, const Json& b, std::size_t depth = 0);

// Equal values have equal hashes. Not salted: a validation pays for every comparison from its steps,
// so collisions made on purpose run into the limit and into nothing else.
std::uint64_t hash_of(const Json& value, std::size_t depth = 0);

// How many values there are inside, itself included: what comparing or hashing it costs. Stops
// counting above the limit.
std::size_t weight_of(const Json& value, std::size_t limit, std::size_t depth = 0);

}  // namespace holdfast::schema
