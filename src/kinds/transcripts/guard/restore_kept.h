#pragma once

// A session of the guard put back where it was, straight from there: byte for byte, whatever its files are called.
//
// Only what is missing is written. A file that is there with the same bytes stays, and so does one that has only grown since it
// was kept; one with other bytes is a conflict, and then nothing is written at all. Times are fresh, or the client would remove
// it again; modes are those of before without the rights of group and others: it all holds what the transcript does.

#include "kinds/transcripts/guard/kept_lines.h"
#include "kinds/transcripts/verbs/copy.h"

namespace holdfast::transcripts {

struct RestoreKeptOptions {
  KeptVersion version;
  bool session_env = true;  // its scripts: they come from our own guard
  bool dry_run = false;
};

// What is damaged in the guard is left out and named in the result, unless it is the transcript. Errors: conflict (names the
// files), corrupt (the transcript is damaged), not_found (no such version), cancelled, io.
Result<CopyResult> restore_kept(const Homes& homes, session::Blobs& guard, const KeptTranscript& kept,
                                const RestoreKeptOptions& options, Millis now, const Progress& progress = {});

// The same, remembered in the family tree. Errors: not_found without a guard.
Result<CopyResult> restore_kept(const Keeper& keeper, const KeptTranscript& kept, const RestoreKeptOptions& options,
                                const Progress& progress = {});

}  // namespace holdfast::transcripts
