#pragma once

// Opens the guard's bytes (session/blobs.h) in a folder of their own.

#include "session/blobs.h"

#include <chrono>
#include <memory>
#include <string>

namespace holdfast::store {

struct BlobOptions {
  std::shared_ptr<const Clock> clock;  // absent: the system's
  // How long a write waits for another process that writes; then it is a conflict. Who writes much commits often.
  std::chrono::milliseconds patience{60'000};
  // The loose pack is packed anew from here on: large enough for whole frames, small enough not to be waited for.
  std::uint64_t loose_bytes = 4 * 1024 * 1024;
  std::string sqlite_vfs;  // absent: the system's files; tests name one that fails
};

// Nothing is made before something is kept: without a folder there are no files, and reading answers so.
// Errors: corrupt (the catalogue is not one, or of a later version), io.
Result<std::unique_ptr<session::Blobs>> open_blobs(const std::string& folder, const BlobOptions& options = {});

}  // namespace holdfast::store
