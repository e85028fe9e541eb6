#pragma once

// A session out of an archive: as a copy with ids of its own, or in place, bit for bit as it was.

#include "kinds/transcripts/archive/archive_reader.h"
#include "kinds/transcripts/verbs/clone.h"

namespace holdfast::transcripts {

enum class SessionEnv { if_trusted, always, never };  // its scripts are run by the client (§8.3)

struct RestoreOptions {
  bool in_place = false;                      // same id, original project folder unless target_project differs
  std::optional<std::string> target_project;  // for a copy: where to; else current_folder
  std::string current_folder;
  PathLevel level = PathLevel::fields;
  std::vector<std::pair<std::string, std::string>> maps;
  SessionEnv session_env = SessionEnv::if_trusted;
  bool trusted = false;  // this store wrote the archive with this very hash, or it comes out of our own guard
  bool dry_run = false;
  std::string new_session_id;
  std::vector<std::string> caller_sessions;  // undoing a move takes a session from where it is: none of these
};

// In place, a session that is there already as the archive has it stays as it is: a success that wrote nothing, so that a restore
// can be typed again by whoever does not know whether it was done. One with other content is a conflict.
//
// Modes as archived (byte-true) or 0600/0700; times fresh, or the client would delete it at its next clean-up.
Result<CopyResult> restore_session(const Home& home, ArchiveReader& archive, const RestoreOptions& options, Millis now,
                                   const Progress& progress = {});

}  // namespace holdfast::transcripts
