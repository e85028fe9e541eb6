#pragma once

// Everything on disk that belongs to one session (transcript-archive §1.3, on-disk §1).
//
// Files are known by where they lie, never by what they are called alone; what we do not know is carried along as `other`. Only
// names, sizes and modes are read here, with one exception: flat subagents name their session inside, in their
// first record, and plans are named by the `slug` of records, so finding those reads the transcripts once.

#include "base/json/json.h"
#include "base/result.h"
#include "base/run/clock.h"
#include "kinds/transcripts/home/home.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::transcripts {

// In the order archives are written.
enum class ArtifactKind {
  main_transcript,   // projects/<enc>/<sid>.jsonl; of Codex: the rollout
  flat_agent,        // projects/<enc>/agent-<aid>.jsonl
  nested_agent,      // <sid>/subagents/**/agent-<aid>.jsonl
  agent_metadata,    // <sid>/subagents/**/agent-<aid>.meta.json
  workflow_journal,  // <sid>/subagents/workflows/wf_*/journal.jsonl
  workflow_run,      // <sid>/workflows/wf_*.json, <sid>/workflows/scripts/*
  tool_result,       // <sid>/tool-results/<file> and one level of folders
  session_memory,    // <sid>/session-memory/summary.md
  plan,              // plans/<slug>.md
  todo,              // todos/<sid>-agent-<aid>.json
  task,              // tasks/<sid>/<n>.json
  task_metadata,     // tasks/<sid>/.highwatermark
  task_lock,         // tasks/<sid>/.lock: never archived, copied or moved; goes with a delete
  session_env,       // session-env/<sid>/*: scripts the client sources
  file_history,      // file-history/<sid>/*
  debug_log,         // debug/<sid>.txt
  other              // anything else below <sid>/ or below the folders named by the sid
};
std::string_view name_of(ArtifactKind kind);  // "main_transcript", ...
bool is_line_file(ArtifactKind kind);         // transcripts and journals: JSON lines

struct Artifact {
  ArtifactKind kind = ArtifactKind::other;
  std::string path;  // below the home folder
  std::uint64_t size = 0;
  mode_t mode = 0600;  // permission bits
  Millis mtime = 0;
};

Millis mtime_of(const struct stat& status);

struct ArtifactFolder {
  std::string path;
  mode_t mode = 0700;
};

// Which session of which project folder; the same id may exist in several (the client's worktree copies, backups).
struct SessionPlace {
  std::string session_id;
  std::string project_folder;  // the encoded name

  std::string transcript() const;  // "projects/<enc>/<sid>.jsonl"
  std::string folder() const;      // "projects/<enc>/<sid>"
  bool operator==(const SessionPlace&) const = default;
};

struct Inventory {
  SessionPlace place;
  std::vector<Artifact> artifacts;      // the main transcript first, then by kind, then bytewise by path
  std::vector<ArtifactFolder> folders;  // of this session alone, also empty ones; parents before children
  std::vector<std::string> slugs;       // of all transcripts, sorted; also those without a plan file
  std::vector<std::string> left_out;    // links, sockets and such: named, never followed

  std::uint64_t bytes() const;
  const Artifact* find(std::string_view path) const;
  // Of files that do not lie on disk: in order, with the folders that their paths name.
  void lie_as_on_disk();
};

// Errors: not_found (no main transcript), those of reading folders. A flat subagent that cannot be read is in left_out.
Result<Inventory> take_inventory(const Home& home, const SessionPlace& place);

// By path alone; nullopt for what is no part of a session (project index, memory, settings). `session_id` empty: of any session.
std::optional<ArtifactKind> kind_of_path(std::string_view path, const SessionPlace& place);

// How many files of each kind, under the names that results use (transcript-archive §3): "plan_files_restored",
// "tool_results_deleted", ...

using KindCounts = std::map<ArtifactKind, std::uint64_t>;

// Counts per kind; of the session memory and the debug log there is one at most, so they are true or false. The main transcript
// is not among them.
void add_kind_counts(JsonObject& json, const KindCounts& counts, std::string_view ending);

std::uint64_t sum_of(const KindCounts& counts);

Json text_or_null(std::string_view text);  // null when empty

}  // namespace holdfast::transcripts
