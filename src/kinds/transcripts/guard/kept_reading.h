#pragma once

// A session that only the guard has, opened to be read straight from there: main conversation, subagents and saved results.

#include "kinds/transcripts/guard/kept_lines.h"
#include "kinds/transcripts/reading/transcript_reading.h"

namespace holdfast::transcripts {

// Its heading says that it is kept and how it is put back, and what of it is known to be lost; where bytes are lost the reading
// has damaged lines. The blobs and the cache (which may be nullptr) outlive it. Errors: as open_transcript.
Result<std::unique_ptr<reading::Reading>> open_kept_transcript(session::Blobs& guard, const KeptTranscript& kept,
                                                               const ReadingOptions& options, ReadingCache* cache,
                                                               const KeptVersion& version = {});

}  // namespace holdfast::transcripts
