#pragma once

// Sessions as the guard has them. Status `kept` (design 8.6): the guard has it, and the client no longer.

#include "session/blobs.h"
#include "transcripts/guard_files.h"

#include <set>

namespace holdfast::transcripts {

struct KeptSession {
  Product product = Product::claude;
  std::string id;
  SessionPlace place;            // of Claude Code
  session::KeptFile transcript;  // the newest version
  std::string path() const;      // of the transcript, below its home
};

// By id; of one that was kept in several places (moved, archived by Codex) the one written last.
Result<std::vector<KeptSession>> kept_sessions(session::Blobs& blobs);
// The one whose id begins so. Errors: not_found, ambiguous, invalid (not the start of an id).
Result<KeptSession> find_kept_session(session::Blobs& blobs, std::string_view id_or_prefix);

// Ids of all sessions that are on the disk now.
Result<std::set<std::string>> ids_on_disk(const Homes& homes);
// Those that are not; what was written last first.
Result<std::vector<KeptSession>> gone_sessions(const Homes& homes, session::Blobs& blobs);

// What the guard has of it by its id, newest versions; flat subagents that name it, too. Not its plans: those only its records
// name (KeptHome).
Result<std::vector<session::KeptFile>> files_of(session::Blobs& blobs, const KeptSession& kept);

}  // namespace holdfast::transcripts
