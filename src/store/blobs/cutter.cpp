#include "store/blobs/cutter.h"

#include "store/blobs/gear.h"

#include <algorithm>

namespace holdfast::store {
namespace {

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

}  // namespace holdfast::store
