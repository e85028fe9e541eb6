#include "base/crypto/byte_hash.h"

#include "base/crypto/hash.h"

#include <cstring>

namespace holdfast {
namespace {

__extension__ typedef unsigned __int128 Wide;

// Odd numbers with about as many ones as zeros: the digits of pi.
constexpr std::uint64_t kFirst = 0x243F6A8885A308D3, kSecond = 0x13198A2E03707345, kThird = 0xA4093822299F31D1;

// Multiplies and folds the upper half onto the lower: every bit of both reaches every bit of the result.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t load(const char* bytes, std::size_t count) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, count);
  return value;
}

}  // namespace

ByteHash::Seed ByteHash::random_seed() {
  const std::string bytes = random_bytes(16);
  return {load(bytes.data(), 8), load(bytes.data() + 8, 8)};
}

std::uint64_t ByteHash::operator()(std::string_view bytes) const {
  std::uint64_t state = seed_.first ^ mix(bytes.size() ^ kFirst, seed_.second ^ kSecond);
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left > 16; at += 16, left -= 16) state = mix(load(at, 8) ^ seed_.second ^ kSecond, load(at + 8, 8) ^ state);
  const std::uint64_t head = load(at, left < 8 ? left : 8), tail = left > 8 ? load(at + 8, left - 8) : 0;
  return mix(mix(head ^ seed_.second ^ kThird, tail ^ state), state ^ kFirst);
}

}  // namespace holdfast
