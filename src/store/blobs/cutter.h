#pragma once

// Where a file is cut into chunks: where its content says so. The same content is cut at the same places wherever it stands, so
// what two files have in common gives the same chunks, and what is appended changes the last one alone.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::store {

// Smaller chunks find more that is the same, and cost more: some 110 bytes of the catalogue each. docs/benchmarks.md has what
// 8, 16 and 32 KiB gave.
inline constexpr std::size_t kMinChunk = 4 * 1024;
inline constexpr std::size_t kAverageChunk = 16 * 1024;
inline constexpr std::size_t kMaxChunk = 64 * 1024;

// The length of the first chunk. `bytes` holds kMaxChunk bytes, or all that is left of the file.
std::size_t first_cut(std::string_view bytes);

// What a chunk resembles. A fork or a clone of a session has another session id in every record, so hardly one of its chunks is
// the same; but almost everything in them is. Take the greatest of a hash over all short pieces of a chunk: two chunks have it in
// common as often as they have pieces in common (records of 700 bytes with another id: about seven of eight).
//
// A sketch has twelve such hashes. By threes they give the numbers that are looked up: nearly all chunks of a clone share at
// least one of the four with their original. But so do some that have nothing in common but the field names of their records; a
// byte of each hash is compared to tell them apart. What resembles an earlier chunk is packed against it (FrameWriter).
struct Sketch {
  std::array<std::int64_t, 4> numbers{};
  std::string look;  // kLook bytes
};
inline constexpr std::size_t kLook = 12;

// Nothing is gained by packing less than this against something else.
inline constexpr std::size_t kMinSketched = 1024;

Sketch sketch_of(std::string_view chunk);

// How many of kLook are the same.
std::size_t resemblance(std::string_view look, std::string_view other);
// From here on it is worth it. Of a clone 10 or 11 are the same, of strangers with the same field names 4.
inline constexpr std::size_t kResembles = 7;

}  // namespace holdfast::store
