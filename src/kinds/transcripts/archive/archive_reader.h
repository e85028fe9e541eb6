#pragma once

// Archives of every version, ours and foreign, from people we do not trust (transcript-archive §4.1-4.4, §8.1-8.2).
//
// The content decides, not the name: JSON, zstd frames, base64 around either. Everything in it is hostile: ids and keys are
// checked before they become paths, sizes and depths are limited, and hashes are compared while the files pass by. A receiver
// that has been given files must throw them away when read() fails.
//
// Paths given to the receiver are those of the original session, rebuilt for foreign archives by the rules of §1.3.

#include "base/files/fd.h"
#include "kinds/transcripts/archive/archive_header.h"
#include "kinds/transcripts/lines/pieces.h"
#include "kinds/transcripts/remote/progress.h"

#include <memory>

namespace holdfast::transcripts {

struct ArchiveLimits {
  std::uint64_t max_bytes = 4ULL << 30;   // decompressed
  std::uint64_t max_ratio = 1000;         // decompressed to compressed, once past ratio_from
  std::uint64_t max_entries = 1'000'000;  // files and records' holders, not records
  std::uint64_t ratio_from = 1ULL << 30;  // a real session may hold a crash's 100 MB of NUL bytes, and must come back
};

class ArchiveReader {
 public:
  // A regular file; pipes and downloads are put into a temporary one first (spool). Reads up to the header and no further than
  // needed. Errors: corrupt (not an archive, damaged; code "unsupported": an unknown major version), too_large, io.
  // All are exit 6 but io.
  static Result<ArchiveReader> open(Fd file, const ArchiveLimits& limits = {});
  ArchiveReader(ArchiveReader&&) noexcept;
  ArchiveReader& operator=(ArchiveReader&&) noexcept;
  ~ArchiveReader();

  const ArchiveHeader& header() const;
  // Every path the archive will give, with kind, size (0 when not known before) and mode; folders too. For "does any of it
  // exist?" before anything is written, and for dry runs. Of a foreign archive this reads it once through.
  Result<Inventory> contents();
  const std::vector<std::string>& warnings() const;  // unknown minor version, unknown fields

  // Gives every file to the receiver; hashes and counts are checked, bytes after the end refused. Once.
  Result<ArchiveCounts> read(Receiver& receiver, const Progress& progress = {});

 private:
  struct State;
  explicit ArchiveReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// What a pipe or a download delivers, in an unnamed temporary file in `folder`. Errors: too_large, io.
Result<Fd> spool(int stream, const std::string& folder, std::uint64_t max_bytes);

}  // namespace holdfast::transcripts
