#pragma once

// The JSON document of an archive file, out of its compression and base64, within limits. Internal to the archive reader.

#include "kinds/transcripts/archive/archive_reader.h"

#include <memory>

namespace holdfast::transcripts {

class ArchiveSource {
 public:
  // From the beginning of the file, whose first bytes decide what it is. The descriptor belongs to the caller.
  // Errors: corrupt (no archive), io.
  static Result<std::unique_ptr<ArchiveSource>> open(int fd, const ArchiveLimits& limits);
  virtual ~ArchiveSource() = default;

  // 0 at the end. Errors: corrupt, too_large (size, ratio), io.
  virtual Result<std::size_t> read(char* to, std::size_t room) = 0;
  // How much of the file has been read, and its size: for progress.
  virtual std::uint64_t position() const = 0;
  virtual std::uint64_t file_size() const = 0;
};

}  // namespace holdfast::transcripts
