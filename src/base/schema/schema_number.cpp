#include "base/schema/schema_number.h"

#include <charconv>
#include <cmath>
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

}  // namespace holdfast::schema
