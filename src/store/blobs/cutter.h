#pragma once

// Where a file is cut into chunks: where its content says so. The same content is cut at the same places wherever it stands, so
// what two files have in common gives the same chunks, and what is appended changes the last one alone.

#include <cstddef>
#include <string_view>

namespace holdfast::store {

// Smaller chunks find more that is the same, and cost more: some 110 bytes of the catalogue each. docs/benchmarks.md has what
// 8, 16 and 32 KiB gave.
inline constexpr std::size_t kMinChunk = 4 * 1024;
inline constexpr std::size_t kAverageChunk = 16 * 1024;
inline constexpr std::size_t kMaxChunk = 64 * 1024;

// The length of the first chunk. `bytes` holds kMaxChunk bytes, or all that is left of the file.
std::size_t first_cut(std::string_view bytes);

}  // namespace holdfast::store
