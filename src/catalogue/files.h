#pragma once

// A transcript as files, wherever it lies: what describes, verifies, archives or reads one works with these and knows neither the
// guard nor backups.

#include "catalogue/found.h"
#include "kinds/transcripts/guard/kept_lines.h"
#include "kinds/transcripts/guard/laid_out.h"
#include "kinds/transcripts/reading/session_info.h"
#include "kinds/transcripts/verbs/verify.h"

namespace holdfast::catalogue {

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
