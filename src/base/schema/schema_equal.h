#pragma once

// Equality of JSON values as JSON Schema means it (numbers by value, members in any order), for
// enum, const and uniqueItems.

#include "base/json/json.h"

#include <compare>
#include <cstdint>

namespace holdfast::schema {

// Numbers as JSON Schema means them: by value, whatever their spelling. 1, 1.0 and 1e0 are the same
// number and an integer; nothing is rounded on the way to an answer, so 2^63 and 2^63 + 1 differ.

// Just above the largest signed and the largest unsigned integer.
inline constexpr double kTwoTo63 = 9223372036854775808.0;
inline constexpr double kTwoTo64 = 18446744073709551616.0;

inline bool is_number(const Json& value) {
  return value.is_int64() || value.is_uint64() || value.is_double();
}

// An infinite double (text such as 1e400) is a number but not an integer: what it stood for is lost.
bool is_integer(const Json& value);

// Both must be numbers.
std::partial_ordering compare_numbers(const Json& a, const Json& b);

// Whether value / divisor is an integer, reckoned in decimal: 0.0075 is a multiple of 0.0001, which
// binary fractions would deny. Both must be numbers, the divisor greater than 0. False when infinite.
bool is_multiple_of(const Json& value, const Json& divisor);

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
