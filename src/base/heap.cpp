#include "base/heap.h"

#include <malloc.h>

namespace holdfast {

void keep_freed_memory(std::size_t bytes) {
  // Larger blocks still come from the kernel and go back to it at once.
  ::mallopt(M_MMAP_THRESHOLD, static_cast<int>(bytes / 2));
  ::mallopt(M_TRIM_THRESHOLD, static_cast<int>(bytes));
}

}  // namespace holdfast
