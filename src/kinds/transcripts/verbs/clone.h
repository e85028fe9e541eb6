#pragma once

// A second session with the whole history of the first, on disk beside it or in another project. The first is not touched.

#include "kinds/transcripts/home/find.h"
#include "kinds/transcripts/remote/progress.h"
#include "kinds/transcripts/verbs/copy_result.h"

namespace holdfast::transcripts {

struct CloneOptions {
  std::optional<std::string> target_project;  // else the source's own
  PathLevel level = PathLevel::fields;
  std::vector<std::pair<std::string, std::string>> maps;  // --map OLD=NEW
  bool fresh_uuids = false;
  bool translate_files = false;
  std::string up_to;
  bool dry_run = false;
  std::string new_session_id;  // empty: a new UUIDv7
};

// Errors: conflict (a path exists: nothing is written, the first five are named), not_found (up_to), those of reading and
// staging.
Result<CopyResult> clone_session(const Home& home, const FoundSession& source, const CloneOptions& options, Millis now,
                                 const Progress& progress = {});

}  // namespace holdfast::transcripts
