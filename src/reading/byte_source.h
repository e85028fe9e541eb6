#pragma once

// Bytes that can be read from any offset, wherever they are: a file, or a copy that the guard kept of one that is gone.

#include "base/files/fd.h"
#include "base/result.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace holdfast::reading {

struct ByteSource {
  // Fills `to` from an offset and answers how many bytes; fewer only at the end. One thread at a time.
  std::function<Result<std::size_t>(std::uint64_t offset, std::span<char> to)> read;
  std::uint64_t size = 0;   // what can be read now
  std::string incarnation;  // differs when what was read before is not what stands there now; growing does not change it
};

// A regular file, as long as it is now. Errors: io, invalid (not a regular file).
Result<ByteSource> file_source(Fd fd);

}  // namespace holdfast::reading
