#pragma once

// What clone and restore tell about what they made; the field names of transcript-archive §3.

#include "base/json/json.h"
#include "kinds/transcripts/archive/archive_header.h"
#include "kinds/transcripts/rewrite/rewrite.h"

#include <map>

namespace holdfast::transcripts {

struct CopyResult {
  std::string new_session_id, original_session_id;
  Millis restored_at = 0;
  std::string project_path;  // where to resume
  bool was_in_place = false;
  bool was_there = false;  // in place, with this very content: nothing was written
  bool was_dry_run = false;
  std::string main_session_file;         // absolute
  std::vector<std::string> agent_files;  // absolute
  std::uint64_t main_records = 0, agent_records = 0;
  std::map<ArtifactKind, std::uint64_t> files;  // how many of each kind
  std::uint64_t bytes = 0;
  bool paths_translated = false;
  std::uint64_t slug_mappings = 0, agent_id_mappings = 0;
  std::string source_machine_id, custom_title;
  std::string resume_command;
  std::vector<std::string> left_out;  // with the reason: session-env of a stranger, links
  std::vector<std::string> warnings;
  RewriteCounts rewritten;
};
JsonObject to_json(const CopyResult& result);
JsonObject to_json(const RewriteCounts& counts);

// cd <quoted> && claude --resume <id>; safe to paste whatever the path holds.
std::string resume_command(std::string_view project_path, std::string_view session_id);
std::string shell_quoted(std::string_view word);

}  // namespace holdfast::transcripts
