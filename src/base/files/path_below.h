#pragma once

// Paths that strangers name, resolved below a folder we hold open.
//
// The kernel does the resolution (openat2 with RESOLVE_BENEATH): "..", absolute paths and symbolic
// links cannot leave the folder, even when somebody swaps a link during the call. On a kernel or in
// a sandbox without openat2 the path is walked component by component, and every link and ".." is
// refused. A FIFO blocks as with open(2): give O_NONBLOCK for a file that a stranger chose.

#include "base/files/fd.h"
#include "base/result.h"

#include <fcntl.h>
#include <sys/types.h>

#include <string>
#include <string_view>

namespace holdfast {

inline constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;  // to open(2) a folder and read it

enum class Links { follow_inside, refuse };

Result<Fd> open_folder(const std::string& path);

// flags as for open(2); O_CLOEXEC is added. Errors: invalid (empty, NUL, absolute), refused (would
// leave the folder, or a link while links are refused), not_found, io.
Result<Fd> open_below(const Fd& folder, std::string_view relative, int flags, mode_t mode = 0,
                      Links links = Links::follow_inside);

}  // namespace holdfast
