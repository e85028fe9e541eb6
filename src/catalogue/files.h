#pragma once

// A transcript as files, wherever it lies: what describes, verifies, archives or reads one works with these and knows neither the
// guard nor backups.

#include "catalogue/find.h"
#include "kinds/transcripts/guard/kept_lines.h"
#include "kinds/transcripts/guard/laid_out.h"
#include "kinds/transcripts/reading/session_info.h"
#include "kinds/transcripts/remote/archive_place.h"
#include "kinds/transcripts/verbs/verify.h"

namespace holdfast::catalogue {

// Copies of a session, from wherever it lies: clones, and what `restore` takes.

// A second session with the whole history of the first. Of one that its client no longer has it is made from the copy that is
// kept: into the project it was in, or else into current_folder. Errors: invalid (not a transcript; a part of one that is only
// kept).
Result<transcripts::CopyResult> clone(const transcripts::Keeper& keeper, const Found& found,
                                      const transcripts::CloneOptions& options, const std::string& current_folder,
                                      const transcripts::Progress& progress = {});

// What a person gives to `restore`: the copy that an id stands for; nullopt: it is a place (archive_place.h). A file of that name
// wins over an id. Errors: those of find_copy.
Result<std::optional<Found>> copy_at_place(const transcripts::Keeper& keeper, const std::string& place, bool guard_alone = false);

// A kept session as an archive. Errors: invalid (it is not only kept).
Result<transcripts::Opened> open_copy(const transcripts::Keeper& keeper, const Found& found,
                                      const transcripts::Progress& progress = {}, const transcripts::KeptVersion& version = {});

struct Files {
  transcripts::AnySession session;
  const transcripts::Keeper* keeper = nullptr;  // over the home that the files are in
  bool kept = false;
  transcripts::LaidOut laid_out;  // of a kept one: the files go with it

  // What is damaged in the guard and therefore missing, with the reason.
  std::vector<std::string> left_out() const { return kept ? laid_out.home->left_out() : std::vector<std::string>(); }
};

// The keeper outlives it. Errors: invalid (not a transcript), those of KeptHome.
Result<Files> files_of(const transcripts::Keeper& keeper, const Found& found, const transcripts::Progress& progress = {});

// What `info` and `verify` say of it.
Result<transcripts::SessionInfo> describe(const transcripts::Keeper& keeper, const Found& found,
                                          const transcripts::Progress& progress = {});
Result<transcripts::VerifyReport> verify(const transcripts::Keeper& keeper, const Found& found,
                                         const transcripts::Progress& progress = {});

// One line of a list, from the ends of its file; of a backup what its header says. `kept` remembers those of the guard, or is
// nullptr. Errors: invalid (not a transcript), those of reading.
Result<transcripts::SessionLine> line_of(const transcripts::Keeper& keeper, transcripts::KeptLines* kept, const Found& found);

}  // namespace holdfast::catalogue
