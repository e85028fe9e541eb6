#include "search/index/segment/term_table.h"

#include <algorithm>
#include <numeric>

namespace holdfast::search {
namespace {

constexpr std::size_t kFirstSlots = 1 << 14;

// The first eight bytes as a number that sorts as they do.
std::uint64_t head_of(std::string_view text) {
  std::uint64_t head = 0;
  for (std::size_t i = 0; i < 8; ++i) head = head << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0);
  return head;
}

}  // namespace

std::uint32_t TermTable::number_of(std::string_view term, std::uint64_t hash) {
  if (terms_.size() * 2 >= slots_.size()) grow();
  const auto short_hash = static_cast<std::uint32_t>(hash);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = short_hash & mask;; slot = (slot + 1) & mask) {
    const std::uint32_t found = slots_[slot];
    if (found == 0) {
      const auto number = static_cast<std::uint32_t>(terms_.size());
      terms_.push_back({short_hash, static_cast<std::uint32_t>(arena_.size()), static_cast<std::uint32_t>(term.size())});
      arena_ += term;
      slots_[slot] = number + 1;
      return number;
    }
    if (terms_[found - 1].hash == short_hash && text(found - 1) == term) return found - 1;
  }
}

void TermTable::grow() {
  slots_.assign(std::max(kFirstSlots, slots_.size() * 2), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t number = 0; number < terms_.size(); ++number) {
    std::size_t slot = terms_[number].hash & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(number + 1);
  }
}

std::vector<std::uint32_t> TermTable::sorted() const {
  struct Key {
    std::uint64_t head;
    std::uint32_t number;
  };
  std::vector<Key> keys;
  keys.reserve(terms_.size());
  for (std::uint32_t number = 0; number < terms_.size(); ++number) keys.push_back({head_of(text(number)), number});
  std::sort(keys.begin(), keys.end(),
            [this](const Key& a, const Key& b) { return a.head != b.head ? a.head < b.head : text(a.number) < text(b.number); });
  std::vector<std::uint32_t> numbers;
  numbers.reserve(keys.size());
  for (const Key& key : keys) numbers.push_back(key.number);
  return numbers;
}

std::size_t TermTable::memory() const {
  return terms_.capacity() * sizeof(Term) + slots_.capacity() * sizeof(std::uint32_t) + arena_.capacity();
}

void TermTable::clear() {
  terms_.clear();
  std::ranges::fill(slots_, 0);
  arena_.clear();
}

}  // namespace holdfast::search
