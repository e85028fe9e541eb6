#include "base/schema/schema_equal.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

namespace holdfast::schema {
namespace {

__extension__ using Wide = unsigned __int128;

// Calls f with the integer the value holds, in the type that holds it.
template <class F>
auto with_integer(const Json& value, F f) {
  return value.is_int64() ? f(value.get_int64()) : f(value.get_uint64());
}

template <class Integer>
std::partial_ordering compare_integer_to_double(Integer a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  constexpr double kAbove = std::is_signed_v<Integer> ? kTwoTo63 : kTwoTo64;
  constexpr double kLowest = std::is_signed_v<Integer> ? -kTwoTo63 : 0.0;
  if (b >= kAbove) return std::partial_ordering::less;
  if (b < kLowest) return std::partial_ordering::greater;
  const double whole = std::floor(b);
  const auto floor = static_cast<Integer>(whole);
  if (a != floor) return a < floor ? std::partial_ordering::less : std::partial_ordering::greater;
  return b > whole ? std::partial_ordering::less : std::partial_ordering::equivalent;
}

std::partial_ordering reversed(std::partial_ordering order) {
  return 0 <=> order;
}

// digits * 10^exponent, without trailing zeros in digits. The sign does not matter to divisibility.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

void strip_zeros(Decimal& decimal) {
  while (decimal.digits != 0 && decimal.digits % 10 == 0) {
    decimal.digits /= 10;
    ++decimal.exponent;
  }
}

// The shortest decimal that reads back as this double: what the author of the number wrote.
Decimal decimal_of(double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, std::fabs(value), std::chars_format::scientific).ptr;
  Decimal decimal;
  bool fraction = false;
  const char* at = text;
  for (; at != end && *at != 'e'; ++at) {
    if (*at == '.') {
      fraction = true;
      continue;
    }
    decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(*at - '0');
    if (fraction) --decimal.exponent;
  }
  if (at != end) {
    ++at;
    if (at != end && *at == '+') ++at;
    int power = 0;
    std::from_chars(at, end, power);
    decimal.exponent += power;
  }
  strip_zeros(decimal);
  return decimal;
}

Decimal decimal_of(const Json& value) {
  if (value.is_double()) return decimal_of(value.get_double());
  Decimal decimal;
  if (value.is_uint64()) {
    decimal.digits = value.get_uint64();
  } else {
    const std::int64_t number = value.get_int64();
    decimal.digits = number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
  }
  strip_zeros(decimal);
  return decimal;
}

std::uint64_t multiply_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
  return static_cast<std::uint64_t>(Wide{a} * b % modulus);
}

std::uint64_t power_of_ten_modulo(unsigned exponent, std::uint64_t modulus) {
  std::uint64_t result = 1 % modulus;
  std::uint64_t base = 10 % modulus;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = multiply_modulo(result, base, modulus);
    base = multiply_modulo(base, base, modulus);
  }
  return result;
}

std::uint64_t mix(std::uint64_t value) {
  value ^= value >> 32;
  value *= 0xd6e8feb86659fd93U;
  value ^= value >> 32;
  value *= 0xd6e8feb86659fd93U;
  return value ^ (value >> 32);
}

std::uint64_t hash_text(std::string_view text) {
  return std::hash<std::string_view>{}(text);
}

// A double that is an integer hashes as that integer, so that 1.0 meets 1.
std::uint64_t hash_double(double number) {
  if (std::trunc(number) == number) {
    if (number >= -kTwoTo63 && number < kTwoTo63) return mix(static_cast<std::uint64_t>(static_cast<std::int64_t>(number)));
    if (number >= 0 && number < kTwoTo64) return mix(static_cast<std::uint64_t>(number));
  }
  return mix(std::bit_cast<std::uint64_t>(number));
}

}  // namespace

bool is_integer(const Json& value) {
  if (!value.is_double()) return value.is_int64() || value.is_uint64();
  const double number = value.get_double();
  return std::isfinite(number) && std::trunc(number) == number;
}

std::partial_ordering compare_numbers(const Json& a, const Json& b) {
  if (a.is_double() && b.is_double()) return a.get_double() <=> b.get_double();
  if (a.is_double()) return reversed(compare_numbers(b, a));
  if (b.is_double()) {
    return with_integer(a, [&](auto number) { return compare_integer_to_double(number, b.get_double()); });
  }
  return with_integer(a, [&](auto left) {
    return with_integer(b, [&](auto right) {
      if (std::cmp_equal(left, right)) return std::partial_ordering::equivalent;
      return std::cmp_less(left, right) ? std::partial_ordering::less : std::partial_ordering::greater;
    });
  });
}

bool is_multiple_of(const Json& value, const Json& divisor) {
  if (value.is_int64() && divisor.is_int64()) return value.get_int64() % divisor.get_int64() == 0;
  if (value.is_double() && !std::isfinite(value.get_double())) return false;
  if (divisor.is_double() && !std::isfinite(divisor.get_double())) return false;
  const Decimal a = decimal_of(value);
  const Decimal b = decimal_of(divisor);
  if (a.digits == 0) return true;
  const int shift = a.exponent - b.exponent;
  if (shift >= 0) {
    const std::uint64_t power = power_of_ten_modulo(static_cast<unsigned>(shift), b.digits);
    return multiply_modulo(a.digits % b.digits, power, b.digits) == 0;
  }
  // The digits of a end in no zero, so a is no multiple of anything with fewer decimal places.
  return false;
}

bool equal(const Json& a, const Json& b, std::size_t depth) {
  if (depth > kMaxComparedDepth) return false;
  if (is_number(a)) return is_number(b) && compare_numbers(a, b) == 0;
  if (a.kind() != b.kind()) return false;
  if (a.is_string()) return view(a.get_string()) == view(b.get_string());
  if (a.is_bool()) return a.get_bool() == b.get_bool();
  if (a.is_array()) {
    const JsonArray& left = a.get_array();
    const JsonArray& right = b.get_array();
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (!equal(left[i], right[i], depth + 1)) return false;
    }
    return true;
  }
  if (a.is_object()) {
    const JsonObject& left = a.get_object();
    const JsonObject& right = b.get_object();
    if (left.size() != right.size()) return false;
    for (const auto& member : left) {
      const auto other = right.find(member.key());
      if (other == right.end() || !equal(member.value(), other->value(), depth + 1)) return false;
    }
    return true;
  }
  return true;  // null
}

std::uint64_t hash_of(const Json& value, std::size_t depth) {
  if (depth > kMaxComparedDepth) return 0;
  switch (value.kind()) {
    case boost::json::kind::null:
      return 0x9e3779b97f4a7c15U;
    case boost::json::kind::bool_:
      return value.get_bool() ? 0xa0761d6478bd642fU : 0xe7037ed1a0b428dbU;
    case boost::json::kind::int64:
      return mix(static_cast<std::uint64_t>(value.get_int64()));
    case boost::json::kind::uint64:
      return mix(value.get_uint64());
    case boost::json::kind::double_:
      return hash_double(value.get_double());
    case boost::json::kind::string:
      return hash_text(view(value.get_string()));
    case boost::json::kind::array: {
      std::uint64_t hash = 0x8ebc6af09c88c6e3U;
      for (const Json& item : value.get_array()) hash = mix(hash + hash_of(item, depth + 1));
      return hash;
    }
    case boost::json::kind::object: {
      std::uint64_t hash = 0x589965cc75374cc3U;  // a sum, because the order of members does not matter
      for (const auto& member : value.get_object()) {
        hash += mix(hash_text(member.key()) ^ mix(hash_of(member.value(), depth + 1)));
      }
      return hash;
    }
  }
  return 0;
}

std::size_t weight_of(const Json& value, std::size_t limit, std::size_t depth) {
  std::size_t weight = 1;
  if (depth > kMaxComparedDepth) return weight;
  if (value.is_string()) return weight + value.get_string().size() / 64;
  if (value.is_array()) {
    for (const Json& item : value.get_array()) {
      if (weight > limit) break;
      weight += weight_of(item, limit - weight, depth + 1);
    }
  } else if (value.is_object()) {
    for (const auto& member : value.get_object()) {
      if (weight > limit) break;
      weight += member.key().size() / 64 + weight_of(member.value(), limit - weight, depth + 1);
    }
  }
  return weight;
}

}  // namespace holdfast::schema
