#pragma once

// Finds one short text in long ones, fast.
//
// Two of its bytes that are seldom in prose are looked for at their distance, 16 or 32 places at a time; only where both are is
// the whole compared. Measured on 100 MB of generated prose: several times as fast as memmem, which prepares itself anew for
// every call (bench/documents_find_bench.cpp).

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::documents {

class LiteralFinder {
 public:
  // Not empty. Any case: of ASCII letters, and the literal is ASCII.
  LiteralFinder(std::string literal, bool any_case);

  // The first place at or after `from`; npos when there is none.
  std::size_t find(std::string_view text, std::size_t from) const;
  std::size_t size() const { return literal_.size(); }

 private:
  bool is_at(const char* place) const;
  std::size_t find_16(std::string_view text, std::size_t places, std::size_t& from) const;
  std::size_t find_32(std::string_view text, std::size_t places, std::size_t& from) const;

  std::string literal_;  // small letters when in any case
  bool any_case_ = false;
  std::size_t first_ = 0, second_ = 0;  // places of the two bytes; the same for a single one
};

}  // namespace holdfast::documents
