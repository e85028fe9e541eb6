#pragma once

// A session of any kind, opened to be read, wherever it lies.

#include "catalogue/find.h"
#include "kinds/transcripts/guard/laid_out.h"
#include "kinds/transcripts/reading/transcript_reading.h"
#include "reading/entry_reading.h"

namespace holdfast::catalogue {

struct OpenedSession {
  transcripts::LaidOut files;  // of a backup; the reading needs them
  std::unique_ptr<reading::Reading> reading;
};

// Which version of a session of the guard is meant may be said; nothing of it is written for that, and what is damaged there is
// shown as lost. The cache may be nullptr. All that the asker names outlives what is opened. Errors: those of reading.
Result<OpenedSession> open(const Asker& asker, const Found& found, const reading::EntryKinds& kinds,
                           const transcripts::ReadingOptions& options, transcripts::ReadingCache* cache,
                           const transcripts::KeptVersion& version = {});

}  // namespace holdfast::catalogue
