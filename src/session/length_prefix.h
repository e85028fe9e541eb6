#pragma once

// Values as bytes for hashing: integers are 8 bytes, big-endian; a string has its length in front, so
// that no two different lists of values give the same bytes. Used by the hash chain, the cursors and
// the checksums of stored rows: changing this changes every one of them.

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::session {

inline void put_integer(std::string& out, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(bits >> shift & 0xff));
}

inline std::int64_t get_integer(std::string_view eight_bytes) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 8; ++i) bits = bits << 8 | static_cast<unsigned char>(eight_bytes[i]);
  return static_cast<std::int64_t>(bits);
}

inline void put_string(std::string& out, std::string_view text) {
  put_integer(out, static_cast<std::int64_t>(text.size()));
  out += text;
}

}  // namespace holdfast::session
