#pragma once

// A session into one file that gives every byte of it back (transcript-archive §4, design 8.26).
//
// Two passes: the first counts, hashes and finds what is not a plain record; the second writes. So the compressed frame carries
// its content size, the extension block stands in front of the records, and reading back needs one pass. Memory is that of the
// longest line. The same bytes in give the same bytes out, except for archived_at.

#include "kinds/transcripts/archive/archive_header.h"
#include "kinds/transcripts/remote/progress.h"

namespace holdfast::transcripts {

enum class ArchiveFormat { json, zst };

// By extension, longest first; `asked` must agree with it. Errors: invalid (they disagree; unknown extension and nothing asked).
Result<ArchiveFormat> archive_format(std::string_view path, std::string_view asked);

struct ArchiveOptions {
  ArchiveFormat format = ArchiveFormat::zst;
  bool with_history = false;    // file history too; always true for backups
  bool version_2_1 = false;     // for the older original: no extension block, not byte-true
  bool without_shared = false;  // leaves out plans, todos, tasks, session-env, debug log, file history (delete --no-… of §2)
  bool redact = false;          // masks credential shapes (redact.h); then not byte-true, and the block says so
  std::string machine_id;       // "user@host"
  Millis archived_at = 0;
};

class SessionSource;

struct ArchiveReport {
  ArchiveHeader header;
  ArchiveCounts counts;
  std::uint64_t size = 0;       // of the archive
  std::uint64_t json_size = 0;  // of the JSON inside
  std::string sha256;           // of the archive
  std::uint64_t redacted = 0;   // credentials masked
  std::vector<std::string> left_out;
};

// Writes path, mode 0600, with everything synced; path must not exist, its folder must. On error nothing of it stays. `inventory`
// (all of the source's, or a part of it) and the project's root come from the caller. Errors: conflict (exists; the session
// changed twice while it was read), not_found, io, cancelled.
Result<ArchiveReport> write_archive(SessionSource& source, const Inventory& inventory, const std::string& project_root,
                                    const std::string& path, const ArchiveOptions& options, const Progress& progress = {});

}  // namespace holdfast::transcripts
