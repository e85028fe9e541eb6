#pragma once

// Sessions as the guard has them. Status `kept` (design 8.6): the guard has it, and the client no longer.

#include "kinds/transcripts/guard/guard_files.h"
#include "kinds/transcripts/products/claude/slugs.h"
#include "session/blobs.h"

#include <map>
#include <optional>
#include <set>
#include <span>

namespace holdfast::transcripts {

struct KeptSession {
  Product product = Product::claude;
  std::string id;
  SessionPlace place;            // of Claude Code
  session::KeptFile transcript;  // the newest version, or the one that was chosen
  std::string path() const;      // of the transcript, below its home
};

// Which version of each file is meant: the newest, unless something is said.
struct KeptVersion {
  std::optional<std::int64_t> number;  // of the transcript alone
  // As it was then: of each file the newest version that was complete by then, or its oldest when there is none so old.
  std::optional<Millis> as_of;
};
// That version of the file; the numbers of files other than transcripts are not looked at. Errors: not_found (no such version:
// names those there are).
Result<session::KeptFile> chosen_version(session::Blobs& blobs, const session::KeptFile& newest, const KeptVersion& version,
                                         bool is_transcript);

// By id; of one that was kept in several places (moved, archived by Codex) the one written last.
Result<std::vector<KeptSession>> kept_sessions(session::Blobs& blobs);
// The one whose id begins so. Errors: not_found, ambiguous.
Result<KeptSession> find_kept_session(session::Blobs& blobs, std::string_view id_or_prefix);
Result<KeptSession> find_kept_session(std::span<const KeptSession> among, std::string_view id_or_prefix);

// Ids of all sessions that are on the disk now.
Result<std::set<std::string>> ids_on_disk(const Homes& homes);
// Those that are not; what was written last first.
Result<std::vector<KeptSession>> gone_sessions(const Homes& homes, session::Blobs& blobs);
// How many kept files of each session are not on the disk, by its id; sessions that lack nothing are left out. Plans are
// nobody's here: which session they belong to only its records say.
Result<std::map<std::string, std::size_t>> missing_files(const Homes& homes, session::Blobs& blobs);

// What the guard has of it: by its id, flat subagents whose first record names it, and the plans its records name (told of in
// `slugs`). In the versions that are meant.
Result<std::vector<session::KeptFile>> files_of(session::Blobs& blobs, const KeptSession& kept, const KeptVersion& version = {},
                                                Slugs* slugs = nullptr);
// All of the file can be read; `tell` hears of every piece. Errors: corrupt, those of `tell`.
Result<void> check_kept(session::Blobs& blobs, const session::KeptFile& file,
                        const std::function<Result<void>(std::uint64_t bytes)>& tell);
// Of a session whose transcript cannot be read.
Error lost_transcript(const KeptSession& kept, Error why);

// As it was in its client's home.
AnySession any_session(const KeptSession& kept);

}  // namespace holdfast::transcripts
