#pragma once

// Where a file of a session stands in an archive, and which file such a place means (transcript-archive §4.2, §8.1).
//
// The typed fields of the format name files by ids and keys, not by paths. Both ways are here, so that what is written by one is
// what the other reads. Ids and keys come from strangers: path_of is the one gate through which they become paths. Internal to
// the archive writer and reader.

#include "kinds/transcripts/home/inventory.h"

namespace holdfast::transcripts {

// In the order they are written.
enum class Holder {
  main_session,
  agent_files,
  agent_metadata,
  workflow_journals,
  workflow_runs,
  plan_files,
  tool_results,
  tool_result_dirs,
  todos,
  session_env,
  tasks,
  task_metadata,
  session_memory,
  debug_log,
  extra_files,  // in the extension block
  nothing       // named in the extension block, without content
};

struct Slot {
  Holder holder = Holder::nothing;
  // agent_id, slug, tool_use_id, filename, id of a task; key of workflow_journals, workflow_runs and task_metadata.
  std::string id;
  std::string folder;     // workflow_subpath of agents, name of a tool result folder
  std::string extension;  // of tool results, with its dot
  bool nested = false;    // of agent_files
};

// extra_files when no typed field can name the file.
Slot slot_of(const Artifact& artifact, const SessionPlace& place);

// Below the home. Errors: corrupt (an id or key that is none).
Result<std::string> path_of(const Slot& slot, const SessionPlace& place);

// Relative, of parts that name something: no "..", drive letter, backslash or NUL, and UTF-8.
bool is_safe_path(std::string_view path);

// What the original's reader takes as the extension of a tool result.
bool is_known_extension(std::string_view extension);

// "aprompt_suggestion" of "aprompt_suggestion-a12dbf0c"; empty for a plain id. Cosmetic.
std::string_view agent_type_of(std::string_view agent_id);

}  // namespace holdfast::transcripts
