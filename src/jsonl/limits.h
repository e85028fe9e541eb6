#pragma once

// The limits of this room, each with its reason.

#include <cstddef>

namespace holdfast::jsonl {

// The longest line that is held in memory and looked into. Real lines with images reach tens of MiB and 64 MiB must
// work; twice that leaves room and stays well below what the client itself can hold in one string (512 MiB).
inline constexpr std::size_t kMaxLineBytes = 128 * 1024 * 1024;

// One read of a file: enough that system calls do not show, little enough to stay in a second-level cache.
inline constexpr std::size_t kReadBytes = 256 * 1024;

// Objects and arrays open at once. Real records stay below 20; a line of a million brackets must not cost memory.
inline constexpr std::size_t kMaxDepth = 4096;

// A line above this size gives its index back after use (the index takes up to four times the line).
inline constexpr std::size_t kKeptIndexBytes = 4 * 1024 * 1024;

// Output gathered before it is written: few system calls, and small beside any line that matters.
inline constexpr std::size_t kWriteBytes = 256 * 1024;

}  // namespace holdfast::jsonl
