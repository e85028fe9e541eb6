#pragma once

// Numbers for words, neighbours and edges of words, by the secret of the index: who writes transcripts cannot choose words that
// fall together. Inline: it runs for every word that is ever indexed.

#include "base/crypto/byte_hash.h"

#include <cstdint>
#include <cstring>

namespace holdfast::store::index {

class KeyHash {
 public:
  explicit KeyHash(ByteHash::Seed seed) : first_(seed.first), second_(seed.second) {}

  // Sixteen bytes behind the word must be readable (FoldedText::kPadding); they do not count.
  std::uint64_t word(const char* bytes, std::size_t size) const {
    std::uint64_t state = first_ ^ size;
    while (size > 8) {
      state = mix(load(bytes) ^ state, second_ ^ kFirst);
      bytes += 8;
      size -= 8;
    }
    const std::uint64_t rest = size == 0 ? 0 : load(bytes) & (~std::uint64_t{0} >> (64 - 8 * size));
    return mix(rest ^ state, second_ ^ kSecond);
  }
  // Two words with a blank between them.
  std::uint64_t neighbours(std::uint64_t left, std::uint64_t right) const { return mix(left ^ first_, right ^ second_ ^ kThird); }
  // The four bytes where a word and a symbol meet.
  std::uint64_t edge(const char* bytes) const {
    std::uint32_t four = 0;
    std::memcpy(&four, bytes, 4);
    return mix(four ^ second_, first_ ^ kFirst);
  }
  // A symbol between two words: five bytes around it.
  std::uint64_t joint(const char* bytes) const {
    std::uint32_t four = 0;
    std::memcpy(&four, bytes, 4);
    return mix((std::uint64_t{static_cast<unsigned char>(bytes[4])} << 32 | four) ^ second_, first_ ^ kSecond);
  }

 private:
  __extension__ typedef unsigned __int128 Wide;
  static constexpr std::uint64_t kFirst = 0x243F6A8885A308D3, kSecond = 0x13198A2E03707345, kThird = 0xA4093822299F31D1;

  static std::uint64_t load(const char* bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, 8);
    return value;
  }
  static std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  std::uint64_t first_, second_;
};

}  // namespace holdfast::store::index
