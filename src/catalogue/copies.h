#pragma once

// Copies of a session, from wherever it lies: clones, and what `restore` takes.

#include "catalogue/find.h"
#include "kinds/transcripts/remote/archive_place.h"

namespace holdfast::catalogue {

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

}  // namespace holdfast::catalogue
