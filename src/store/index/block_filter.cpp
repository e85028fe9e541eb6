#include "store/index/block_filter.h"

#include <algorithm>

namespace holdfast::store::index {
namespace {

// A key that is not there passes 12 times in a thousand; with eight bits and three probes 31 times, and a phrase of frequent
// words that occurs nowhere has no other key.
constexpr std::size_t kBitsPerKey = 10;
constexpr unsigned kProbes = 4;

// The bit of a probe: the upper half of a product spreads a number of 32 bits over any range.
std::size_t bit_of(std::uint64_t key, unsigned probe, std::uint64_t bits) {
  const auto number = static_cast<std::uint32_t>((key >> 32) + probe * (key | 1));
  return static_cast<std::size_t>((number * bits) >> 32);
}

}  // namespace

void BlockFilterWriter::finish(std::string& to) {
  const std::size_t bytes = (keys_.size() * kBitsPerKey + 63) / 64 * 8, begin = to.size();
  to.resize(begin + bytes, '\0');
  for (const std::uint64_t key : keys_)
    for (unsigned probe = 0; probe < kProbes; ++probe) {
      const std::size_t bit = bit_of(key, probe, bytes * 8);
      to[begin + bit / 8] = static_cast<char>(to[begin + bit / 8] | 1 << (bit % 8));
    }
  keys_.clear();
  std::ranges::fill(seen_, 0);
}

bool filter_may_hold(std::string_view filter, std::uint64_t key) {
  if (filter.empty()) return false;
  for (unsigned probe = 0; probe < kProbes; ++probe) {
    const std::size_t bit = bit_of(key, probe, filter.size() * 8);
    if ((filter[bit / 8] >> (bit % 8) & 1) == 0) return false;
  }
  return true;
}

}  // namespace holdfast::store::index
