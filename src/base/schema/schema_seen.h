#pragma once

// Which members or items of one value some keyword has looked at: what unevaluatedProperties and
// unevaluatedItems ask. Positions are those of the object's or array's own order.

#include "base/json/json.h"

#include <cstdint>
#include <vector>

namespace holdfast::schema {

class Seen {
 public:
  explicit Seen(const Json& value) {
    const std::size_t size = size_of(value);
    if (size > 64) more_.resize((size - 1) / 64);
  }

  void mark(std::size_t position) { word(position / 64) |= std::uint64_t{1} << (position % 64); }
  void mark_all() { all_ = true; }
  bool has(std::size_t position) const {
    if (all_) return true;
    const std::uint64_t bits = position < 64 ? first_ : more_[position / 64 - 1];
    return (bits >> (position % 64) & 1) != 0;
  }

  // Both must be about the same value.
  void add(const Seen& other) {
    all_ = all_ || other.all_;
    first_ |= other.first_;
    for (std::size_t i = 0; i < more_.size(); ++i) more_[i] |= other.more_[i];
  }

  // What making one of these costs, in steps.
  static std::size_t cost(const Json& value) { return 1 + size_of(value) / 64; }

 private:
  static std::size_t size_of(const Json& value) {
    if (value.is_object()) return value.get_object().size();
    return value.is_array() ? value.get_array().size() : 0;
  }
  std::uint64_t& word(std::size_t number) { return number == 0 ? first_ : more_[number - 1]; }

  bool all_ = false;
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> more_;
};

}  // namespace holdfast::schema
