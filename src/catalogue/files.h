#pragma once

// A transcript as bytes, wherever it lies: what describes, verifies, archives, copies or reads one works with these and knows
// neither the guard nor backups.

#include "catalogue/find.h"
#include "kinds/transcripts/reading/session_info.h"
#include "kinds/transcripts/reading/transcript_reading.h"
#include "kinds/transcripts/verbs/verify.h"
#include "reading/entry_reading.h"

namespace holdfast::catalogue {

// The keeper outlives it. A version is meant of what the guard has alone; `as_it_is` as source_in_guard. Errors: invalid (not a
// transcript), not_found (no guard), those of reading archives.
Result<std::unique_ptr<transcripts::SessionSource>> source_of(const transcripts::Keeper& keeper, const Found& found,
                                                              const transcripts::KeptVersion& version = {},
                                                              bool as_it_is = false);

// What `info` and `verify` say of it.
Result<transcripts::SessionInfo> describe(const transcripts::Keeper& keeper, const Found& found,
                                          const transcripts::Progress& progress = {});
Result<transcripts::VerifyReport> verify(const transcripts::Keeper& keeper, const Found& found,
                                         const transcripts::Progress& progress = {});

// One line of a list, from the ends of its file; of a backup what its header says. `kept` remembers those of the guard, or is
// nullptr. Errors: invalid (not a transcript), those of reading.
Result<transcripts::SessionLine> line_of(const transcripts::Keeper& keeper, transcripts::KeptLines* kept, const Found& found);

// A session of any kind, opened to be read. Which version of a session of the guard is meant may be said; what is damaged there
// is shown as lost. The cache may be nullptr. All that the asker names outlives what is opened. Errors: those of reading.
Result<std::unique_ptr<reading::Reading>> open(const Asker& asker, const Found& found, const reading::EntryKinds& kinds,
                                               const transcripts::ReadingOptions& options, transcripts::ReadingCache* cache,
                                               const transcripts::KeptVersion& version = {});

// A second session with the whole history of the first. Of one that its client no longer has it is made from the copy that is
// kept: into the project it was in, or else into current_folder. Errors: invalid (not a transcript).
Result<transcripts::CopyResult> clone(const transcripts::Keeper& keeper, const Found& found,
                                      const transcripts::CopyOptions& options, const std::string& current_folder,
                                      const transcripts::Progress& progress = {});

// What a person gives to `restore`: the copy that an id stands for; nullopt: it is a place (archive_place.h). A file of that name
// wins over an id. Errors: those of find_copy.
Result<std::optional<Found>> copy_at_place(const transcripts::Keeper& keeper, const std::string& place, bool guard_alone = false);

}  // namespace holdfast::catalogue
