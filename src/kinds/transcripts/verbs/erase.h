#pragma once

// Deleting a session: a verified backup first, then everything at once; and the way back.

#include "base/json/json.h"
#include "kinds/transcripts/home/find.h"
#include "kinds/transcripts/remote/progress.h"

#include <map>

namespace holdfast::transcripts {

struct EraseOptions {
  bool force = false;                   // needed for sessions the client made itself
  bool made_by_us = false;              // lineage knows it as a clone or restore of ours (a UUIDv7 alone is only a convention)
  std::optional<Millis> written_by_us;  // the transcript's time, as it was when we put it in place
  bool terminate = false;
  bool no_backup = false;  // for keeper.h: made all the same, and removed when the family tree knows of the delete
  bool dry_run = false;
  std::optional<bool> cross_session_artifacts;  // must be said when the id exists in several projects, and only then
  std::string backup_folder;                    // <data>/deleted
  std::vector<std::string> caller_sessions;     // that may be the one that is asking (current.h); never deleted
  std::string machine_id;
};

struct EraseResult {
  std::string session_id;
  bool was_dry_run = false;
  std::string custom_title, project_path;
  std::string backup_path;  // empty when none was kept
  std::string backup_sha256;
  std::uint64_t size_freed = 0;
  std::vector<std::string> deleted_files;  // absolute
  std::map<ArtifactKind, std::uint64_t> counts;
  std::vector<std::string> directories_removed;  // absolute
  std::vector<std::string> kept;                 // with the reason: a plan other sessions use
  bool was_running = false, was_terminated = false;
  std::int64_t duration_ms = 0;
  Millis deleted_at = 0;
  std::string undo_command;
  std::vector<std::string> warnings;
};
JsonObject to_json(const EraseResult& result);

// Errors: refused (native without force, running, the caller's own), invalid (cross-session flag missing or out of place),
// conflict, io.
Result<EraseResult> erase_session(const Home& home, const FoundSession& session, const EraseOptions& options, Millis now,
                                  const Progress& progress = {});

bool is_native_id(std::string_view session_id);  // not a UUIDv7

}  // namespace holdfast::transcripts
