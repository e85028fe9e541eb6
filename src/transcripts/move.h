#pragma once

// A session to another project, with its id: paths are translated, the source goes only after the target is verified. Artifacts
// that lie by session id alone (tasks, file history, ...) stay where they are.

#include "transcripts/clone.h"
#include "transcripts/erase.h"

namespace holdfast::transcripts {

struct MoveOptions {
  std::string target_project;
  PathLevel level = PathLevel::fields;
  std::vector<std::pair<std::string, std::string>> maps;
  bool force = false, made_by_us = false, terminate = false, no_backup = false, dry_run = false;
  std::optional<Millis> written_by_us;  // as EraseOptions
  std::string backup_folder;
  std::string caller_session;
  std::string machine_id;
};

struct MoveResult {
  std::string session_id;
  std::string source_project, target_project;
  std::string main_session_file;  // absolute
  std::uint64_t files_moved = 0, files_deleted = 0;
  std::map<ArtifactKind, std::uint64_t> moved;
  bool paths_translated = false;
  bool was_running = false, was_terminated = false, was_dry_run = false;
  std::string backup_path, backup_sha256, custom_title, resume_command;
  std::int64_t duration_ms = 0;
  Millis moved_at = 0;
  std::vector<std::string> warnings;
  RewriteCounts rewritten;
};
JsonObject to_json(const MoveResult& result);

Result<MoveResult> move_session(const Home& home, const FoundSession& session, const MoveOptions& options, Millis now,
                                const Progress& progress = {});

// relocate OLD NEW: every session of a project whose folder was renamed; sessions of folders below it and of its worktrees too.
// One that cannot be moved is reported and does not stop the others.
struct RelocateResult {
  std::vector<MoveResult> moved;
  struct Failed {
    std::string session_id;
    Error error;
  };
  std::vector<Failed> failed;
};
Result<RelocateResult> relocate_project(const Home& home, const std::string& old_path, const std::string& new_path,
                                        const MoveOptions& options, Millis now, const Progress& progress = {});

}  // namespace holdfast::transcripts
