#pragma once

// What a list shows of a session, read from the first and last 64 KiB of its transcript (transcript-archive §1.2, §1.4, §10).

#include "kinds/transcripts/home/find.h"
#include "reading/reading.h"

namespace holdfast::transcripts {

inline constexpr std::size_t kSummaryBytes = 64 * 1024;  // at each end of the file
inline constexpr std::size_t kTitleLength = 200;         // characters

struct Summary {
  FoundSession session;
  std::string title;         // by the rules of §1.4; may be empty
  std::string custom_title;  // the last one a person gave; may be empty
  std::string project_root;  // §1.2; empty: unknown
  std::string first_cwd;
  std::string version;  // of the client, the last seen
  std::string git_branch;
  Millis first_time = 0, last_time = 0;  // of records; 0: none seen
  bool sidechain = false;                // isSidechain in the first record: not a session of its own
};

// Of a transcript, wherever its bytes are: from all of it, or from its ends, and then what stands in the middle alone (an old
// title) may be missed.
Result<Summary> summarise(const reading::ByteSource& transcript, const FoundSession& session, bool whole);
Result<Summary> summarise(const Home& home, const FoundSession& session);  // the ends of a file

// The same fields from the whole file; for info, and for the root of an operation that rewrites paths.
Result<Summary> summarise_whole(const Home& home, const FoundSession& session);

// The root of the project a session is in (§1.2), empty when unknown: from the ends of its transcript where those settle it,
// which they do unless it was begun elsewhere, else from all of it.
Result<std::string> project_root_of(const reading::ByteSource& transcript, const FoundSession& session);
Result<std::string> project_root_of(const Home& home, const FoundSession& session);

}  // namespace holdfast::transcripts
