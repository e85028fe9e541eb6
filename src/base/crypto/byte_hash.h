#pragma once

// A number for bytes, for tables and for noticing changes.

#include <cstdint>
#include <string_view>

namespace holdfast {

// A 64-bit number for bytes, by a secret: who writes documents cannot choose two words that fall together. Not a digest: it finds
// changes that were not made to deceive it.
class ByteHash {
 public:
  struct Seed {
    std::uint64_t first = 0, second = 0;
  };
  static Seed random_seed();

  explicit ByteHash(Seed seed) : seed_(seed) {}
  std::uint64_t operator()(std::string_view bytes) const;

 private:
  Seed seed_;
};

}  // namespace holdfast
