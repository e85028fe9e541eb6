#pragma once

// The two ways open_below can take, apart, so that the second is tested on kernels that have the first.

#include "base/files/path_below.h"

#include <string>

namespace holdfast::detail {

// Asks the kernel; the raw descriptor, or -1 and errno. ENOSYS: this kernel has no openat2.
int open_below_by_kernel(int folder, const std::string& relative, int flags, mode_t mode, Links links);

// Walks the components with O_NOFOLLOW. Stricter than the kernel: every link and every ".." is refused.
Result<Fd> open_below_by_walking(int folder, const std::string& relative, int flags, mode_t mode);

}  // namespace holdfast::detail
