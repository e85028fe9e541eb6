#pragma once

// What lies in each place of transcripts, for find and list.

#include "catalogue/find.h"

#include <utility>

namespace holdfast::catalogue {

struct Matches {
  std::vector<Found> found;
  std::vector<std::pair<Place, Error>> unread;  // places that could not be read; they hide nothing of the others
};

bool begins_with(std::string_view id, std::string_view prefix);

// By the start of their ids; an empty one means all. Of one id in several folders each. Errors: those of reading folders.
Result<std::vector<Found>> matches_on_disk(const transcripts::Keeper& keeper, std::string_view prefix);

// Those of the guard and of backups, also of what is still on disk; of one session the newer of the two.
Matches matches_kept(const transcripts::Keeper& keeper, transcripts::KeptLines* kept, std::string_view prefix,
                     bool guard_alone = false);

}  // namespace holdfast::catalogue
