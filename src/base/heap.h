#pragma once

// How the heap gives memory back.

#include <cstddef>

namespace holdfast {

// Freed memory of this much at the end of the heap is kept for the next call. By default the C library returns it after every
// call that handled a megabyte, and the kernel clears the same pages again for the next one: a third of the time of such a call.
// For programs that serve one call after another; at the start, before other threads.
void keep_freed_memory(std::size_t bytes);

inline constexpr std::size_t kServerHeap = 16 * 1024 * 1024;

}  // namespace holdfast
