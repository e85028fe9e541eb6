#include "search/index/segment/block_filter.h"

#include <algorithm>
#include <cstring>

namespace holdfast::search {
namespace {

// A key that is not there passes 12 times in a thousand; with eight bits and three probes 31 times, and a phrase of frequent
// words that occurs nowhere has no other key.
constexpr std::size_t kBitsPerKey = 10;
constexpr unsigned kProbes = 4;

// In front of the bits. Without a salt a key that shares its bits with frequent ones does so in every block, and passed as often
// as in one block of seven (measured).
constexpr std::size_t kSaltBytes = 8;

struct Probes {
  std::uint32_t first = 0, step = 0;
  std::uint64_t bits = 0;

  Probes(std::uint64_t key, std::uint64_t salt, std::size_t bytes) : bits(bytes * 8) {
    const std::uint64_t mixed = (key ^ salt) * 0x9E3779B97F4A7C15;
    first = static_cast<std::uint32_t>(mixed >> 32);
    step = static_cast<std::uint32_t>((mixed ^ key) & 0xFFFFFFFF) | 1;
  }
  // The upper half of a product spreads a number of 32 bits over any range.
  std::size_t bit(unsigned probe) const { return static_cast<std::size_t>((std::uint64_t{first + probe * step} * bits) >> 32); }
};

}  // namespace

void BlockFilterWriter::finish(std::string& to) {
  if (!keys_.empty()) {
    std::uint64_t salt = keys_.size();
    for (const std::uint64_t key : keys_) salt += key;
    to.append(reinterpret_cast<const char*>(&salt), kSaltBytes);
    const std::size_t bytes = (keys_.size() * kBitsPerKey + 63) / 64 * 8, begin = to.size();
    to.resize(begin + bytes, '\0');
    for (const std::uint64_t key : keys_) {
      const Probes probes(key, salt, bytes);
      for (unsigned i = 0; i < kProbes; ++i) {
        const std::size_t bit = probes.bit(i);
        to[begin + bit / 8] = static_cast<char>(to[begin + bit / 8] | 1 << (bit % 8));
      }
    }
  }
  for (const std::uint64_t key : keys_) seen_[key % seen_.size()] = 0;  // the filter of a row has few
  keys_.clear();
}

bool filter_may_hold(std::string_view filter, std::uint64_t key) {
  if (filter.size() <= kSaltBytes) return false;
  std::uint64_t salt = 0;
  std::memcpy(&salt, filter.data(), kSaltBytes);
  filter.remove_prefix(kSaltBytes);
  const Probes probes(key | 1, salt, filter.size());
  for (unsigned i = 0; i < kProbes; ++i) {
    const std::size_t bit = probes.bit(i);
    if ((filter[bit / 8] >> (bit % 8) & 1) == 0) return false;
  }
  return true;
}

void FilterProbe::add(std::string_view filter, std::size_t number) {
  filters_[waiting_] = filter;
  numbers_[waiting_++] = number;
  __builtin_prefetch(filter.data());
}

// The first bits of the first key: most filters are ruled out by them.
void FilterProbe::look_ahead() const {
  constexpr unsigned kAhead = 2;
  for (std::size_t i = 0; i < waiting_; ++i) {
    std::string_view filter = filters_[i];
    if (filter.size() <= kSaltBytes || keys_.empty()) continue;
    std::uint64_t salt = 0;
    std::memcpy(&salt, filter.data(), kSaltBytes);
    filter.remove_prefix(kSaltBytes);
    const Probes probes(keys_[0] | 1, salt, filter.size());
    for (unsigned probe = 0; probe < kAhead; ++probe) __builtin_prefetch(filter.data() + probes.bit(probe) / 8);
  }
}

bool FilterProbe::holds_all(std::size_t index) const {
  return std::ranges::all_of(keys_, [&](std::uint64_t key) { return filter_may_hold(filters_[index], key); });
}

}  // namespace holdfast::search
