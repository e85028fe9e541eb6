#pragma once

// Zstandard for blocks in memory, each on its own or against a prefix: bytes that both sides have and that need not be stored
// again. What differs little from its prefix costs little more than the difference.

#include "base/result.h"

#include <memory>
#include <string>
#include <string_view>

namespace holdfast {

// Keeps its tables from block to block. One thread at a time.
class ZstdPacker {
 public:
  explicit ZstdPacker(int level);
  ZstdPacker(ZstdPacker&&) noexcept;
  ~ZstdPacker();

  // A frame with its size in the header. Errors: unavailable (no memory), internal.
  Result<std::string> pack(std::string_view bytes, std::string_view prefix = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The bytes of one frame, which must be exactly `size`. Any thread. Errors: corrupt, unavailable (no memory).
Result<std::string> zstd_unpack(std::string_view frame, std::size_t size, std::string_view prefix = {});

}  // namespace holdfast
