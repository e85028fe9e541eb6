#include "store/blobs/cutter.h"

#include <algorithm>

namespace holdfast::store {
namespace {

// Numbers for byte values, for hashes that roll over a text: cuts and resemblance. They are part of the format: other numbers cut
// elsewhere, and nothing kept before would be found again.
constexpr std::uint64_t scrambled(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9U;
  value = (value ^ value >> 27) * 0x94d049bb133111ebU;
  return value ^ value >> 31;
}

constexpr std::array<std::uint64_t, 256> kGear = [] {
  std::array<std::uint64_t, 256> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = scrambled(i * 0x9e3779b97f4a7c15U);
  return numbers;
}();

// The hash has the last 32 bytes in its highest bits and fewer in each lower one, so the masks look at high bits. More bytes
// would make a session id near a cut move it in a clone. Below the average length a cut is four times less likely than above it:
// lengths gather around the average.
constexpr std::uint64_t high_bits(int count) {
  return ~std::uint64_t{0} << (64 - count);
}
constexpr int kAverageBits = 14;
static_assert(std::size_t{1} << kAverageBits == kAverageChunk);
constexpr std::uint64_t kRare = high_bits(kAverageBits + 1), kOften = high_bits(kAverageBits - 1);
constexpr int kShift = 2;
constexpr std::size_t kWindow = 64 / kShift;

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

std::size_t first_cut(std::string_view bytes) {
  if (bytes.size() <= kMinChunk) return bytes.size();
  const std::size_t end = std::min(bytes.size(), kMaxChunk);
  const std::size_t middle = std::min(end, kAverageChunk);
  std::uint64_t hash = 0;
  std::size_t at = kMinChunk - kWindow;
  const auto roll = [&] { hash = (hash << kShift) + kGear[static_cast<unsigned char>(bytes[at])]; };
  for (; at < kMinChunk; ++at) roll();
  for (; at < middle; ++at) {
    roll();
    if ((hash & kRare) == 0) return at + 1;
  }
  for (; at < end; ++at) {
    roll();
    if ((hash & kOften) == 0) return at + 1;
  }
  return end;
}

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
