#include "store/blobs/sketch.h"

#include "store/blobs/gear.h"

#include <algorithm>

namespace holdfast::store {
namespace {

constexpr int kPieceBits = 4;  // a byte leaves the hash after 64 / 4 others: pieces of 16 bytes
// Of all places one in 32 is looked at, chosen by the content as well: some 500 of a chunk, and nearly as fast as none.
constexpr std::uint64_t kSampled = std::uint64_t{31} << 40;
// Enough that two of some millions fall together by chance hardly ever, and two bytes less for each in the catalogue.
constexpr std::uint64_t kNumberBits = (std::uint64_t{1} << 48) - 1;

constexpr std::array<std::uint64_t, kLook> kFactors = [] {
  std::array<std::uint64_t, kLook> factors{};
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = scrambled(i) | 1;
  return factors;
}();

}  // namespace

Sketch sketch_of(std::string_view chunk) {
  std::array<std::uint64_t, kLook> greatest{};
  std::uint64_t hash = 0;
  for (const char byte : chunk) {
    hash = (hash << kPieceBits) + kGear[static_cast<unsigned char>(byte)];
    if ((hash & kSampled) != 0) continue;
    const std::uint64_t mixed = scrambled(hash);
    for (std::size_t i = 0; i < greatest.size(); ++i) greatest[i] = std::max(greatest[i], mixed * kFactors[i]);
  }
  Sketch sketch;
  const std::size_t together = kLook / sketch.numbers.size();
  for (std::size_t i = 0; i < kLook; ++i) {
    const std::uint64_t spread = scrambled(greatest[i]);
    sketch.look.push_back(static_cast<char>(spread));
    std::int64_t& number = sketch.numbers[i / together];
    number = static_cast<std::int64_t>(scrambled(static_cast<std::uint64_t>(number) + spread + i) & kNumberBits);
  }
  return sketch;
}

std::size_t resemblance(std::string_view look, std::string_view other) {
  std::size_t same = 0;
  for (std::size_t i = 0; i < std::min(look.size(), other.size()); ++i) same += look[i] == other[i] ? 1 : 0;
  return same;
}

}  // namespace holdfast::store
