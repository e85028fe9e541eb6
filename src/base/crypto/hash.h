#pragma once

// Digests, authentication codes, base64 and random bytes.

#include "base/result.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace holdfast {

using Digest = std::array<std::uint8_t, 32>;

Digest sha256(std::string_view bytes);
Digest hmac_sha256(std::string_view key, std::string_view bytes);

// The digest of bytes that arrive one after another.
class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  ~Sha256();

  void add(std::string_view bytes);
  Digest digest() const;  // of all so far; more may follow
  Digest finish();        // and begins anew

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string to_hex(std::span<const std::uint8_t> bytes);
std::string to_base64(std::string_view bytes);     // standard alphabet, padded
std::string to_base64url(std::string_view bytes);  // no padding
// Strict: wrong length, padding, stray bits or a foreign character is invalid, so that every value has one text.
Result<std::string> from_base64(std::string_view text);
Result<std::string> from_base64url(std::string_view text);

std::string random_bytes(std::size_t count);  // from the kernel

// Takes the same time wherever the first difference is; lengths may leak.
bool equal_in_constant_time(std::string_view a, std::string_view b);

inline std::string_view bytes_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace holdfast
