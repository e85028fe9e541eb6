#pragma once

// A SHA-256 that can be put away in the middle and gone on with later, in another process: the digest of a file that grows,
// without reading it again.

#include "base/crypto/hash.h"

#include <optional>
#include <string>
#include <string_view>

namespace holdfast {

class ResumableSha256 {
 public:
  ResumableSha256();
  // nullopt: that is no state.
  static std::optional<ResumableSha256> from_state(std::string_view state);

  void add(std::string_view bytes);
  std::uint64_t size() const { return size_; }  // bytes so far
  Digest digest() const;                        // of all so far; more may follow
  std::string state() const;                    // the same bytes on every machine

 private:
  static constexpr std::size_t kBlock = 64;
  std::array<std::uint32_t, 8> words_;
  std::uint64_t size_ = 0;
  std::string rest_;  // the bytes behind the last whole block
};

}  // namespace holdfast
