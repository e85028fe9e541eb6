#pragma once

// Takes what clients write into the guard (session/blobs.h), so that what they delete later is still there.
//
// Nothing of a client is ever written to. A file that did not change since it was last kept costs a look at its size and time;
// one that grew costs what is new. One thread.

#include "kinds/transcripts/guard/guard_files.h"
#include "kinds/transcripts/remote/progress.h"
#include "session/blobs.h"

namespace holdfast::transcripts {

struct GuardReport {
  std::uint64_t files = 0, changed = 0;
  std::uint64_t bytes_read = 0, bytes_new = 0, bytes_stored = 0;
  std::vector<std::string> troubles;  // files that could not be read; they are tried again the next time
};
JsonObject to_json(const GuardReport& report);

class Guard {
 public:
  // Both live longer.
  Guard(const Homes& homes, session::Blobs& blobs) : homes_(homes), blobs_(blobs) {}

  // All of these commit now and then, and at the end; what was kept when one fails stays. Errors: those of the guard's own files
  // (conflict: another process keeps at it for too long), cancelled.
  Result<GuardReport> keep_all(const Progress& progress = {});
  Result<GuardReport> keep_session(const SessionPlace& place);
  Result<GuardReport> keep_files(std::span<const GuardedFile> files, const Progress& progress = {});

 private:
  Result<void> keep(const GuardedFile& file, GuardReport& report);

  const Homes& homes_;
  session::Blobs& blobs_;
};

}  // namespace holdfast::transcripts
