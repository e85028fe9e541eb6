#pragma once

// A session to another project, with its id: paths are translated, the source goes only after the target is verified. Artifacts
// that lie by session id alone (tasks, file history, ...) stay where they are.

#include "kinds/transcripts/verbs/copy_result.h"
#include "kinds/transcripts/verbs/erase.h"

namespace holdfast::transcripts {

struct MoveOptions {
  std::string target_project;
  std::string target_folder;  // below projects/; empty: the one of the target project (several paths share a folder)
  PathLevel level = PathLevel::fields;
  std::vector<std::pair<std::string, std::string>> maps;
  bool force = false, made_by_us = false, terminate = false, no_backup = false, dry_run = false;
  std::optional<Millis> written_by_us;  // as EraseOptions
  std::string backup_folder;
  std::vector<std::string> caller_sessions;  // as EraseOptions
  std::string machine_id;
};

struct MoveResult {
  std::string session_id;
  std::string source_project, target_project;
  std::string main_session_file;  // absolute
  std::uint64_t files_moved = 0, files_deleted = 0;
  std::map<ArtifactKind, std::uint64_t> moved;
  std::uint64_t main_records = 0, agent_records = 0;
  bool paths_translated = false;
  bool was_running = false, was_terminated = false, was_dry_run = false;
  std::string backup_path, backup_sha256, undo_command, custom_title, resume_command;
  std::vector<std::pair<std::string, std::string>> maps;  // as they were asked for
  std::int64_t duration_ms = 0;
  Millis moved_at = 0;
  std::vector<std::string> warnings;
  RewriteCounts rewritten;
};
JsonObject to_json(const MoveResult& result);

// A session that is there already stays as it is: a success that moved no file. Errors: refused (check_removal), conflict, those
// of reading and staging.
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
