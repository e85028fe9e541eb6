#include "base/schema/schema_equal.h"

#include "base/schema/schema_number.h"

#include <bit>
#include <cmath>
#include <functional>

namespace holdfast::schema {
namespace {

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
