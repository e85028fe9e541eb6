#pragma once

// A session put into a home of Claude Code, wherever its bytes come from: as a copy with ids of its own, or in place, bit for bit
// as it was. The source is not touched.

#include "kinds/transcripts/source/session_source.h"
#include "kinds/transcripts/verbs/copy_result.h"

namespace holdfast::transcripts {

enum class SessionEnv { if_trusted, always, never };  // its scripts are run by the client (§8.3)

struct CopyOptions {
  bool in_place = false;  // same id, original project folder unless target_project differs
  // Where a copy goes: here, else to current_folder, else, when that is empty, beside the original.
  std::optional<std::string> target_project;
  std::string current_folder;
  PathLevel level = PathLevel::fields;
  std::vector<std::pair<std::string, std::string>> maps;  // --map OLD=NEW
  bool fresh_uuids = false, translate_files = false;      // of copies
  std::string up_to;
  SessionEnv session_env = SessionEnv::if_trusted;
  bool trusted = false;  // this store wrote the archive with this very hash
  bool dry_run = false;
  std::string new_session_id;                // empty: a new UUIDv7
  std::vector<std::string> caller_sessions;  // undoing a move takes a session from where it is: none of these
};

// In place, a session that is there already as the source has it stays as it is: a success that wrote nothing, so that a restore
// can be typed again by whoever does not know whether it was done. One with other content is a conflict.
//
// Modes as in the source, or 0600/0700 when that does not say; times fresh, or the client would delete it at its next clean-up.
//
// Errors: conflict (a path exists: nothing is written, the first five are named), not_found (up_to), those of reading and
// staging.
Result<CopyResult> copy_session(const Home& home, SessionSource& source, const CopyOptions& options, Millis now,
                                const Progress& progress = {});

}  // namespace holdfast::transcripts
