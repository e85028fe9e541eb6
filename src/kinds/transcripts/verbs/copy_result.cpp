#include "kinds/transcripts/verbs/copy_result.h"

#include "kinds/transcripts/home/inventory.h"

#include <algorithm>

namespace holdfast::transcripts {
namespace {

bool needs_no_quotes(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || std::string_view("/._-+=:,@%").contains(c);
}

}  // namespace

std::string shell_quoted(std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, needs_no_quotes)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string resume_command(std::string_view project_path, std::string_view session_id) {
  const std::string resume = "claude --resume " + shell_quoted(session_id);
  if (project_path.empty()) return resume;
  // A path that begins with a dash would be taken for an option.
  return "cd " + std::string(project_path.starts_with('-') ? "-- " : "") + shell_quoted(project_path) + " && " + resume;
}

JsonObject to_json(const RewriteCounts& counts) {
  return {{"lines", counts.lines},
          {"edited_lines", counts.edited_lines},
          {"ids", counts.ids},
          {"paths", counts.paths},
          {"dropped_lines", counts.dropped_lines},
          {"opaque_lines", counts.opaque_lines},
          {"samples", JsonArray(counts.samples.begin(), counts.samples.end())}};
}

JsonObject to_json(const CopyResult& result) {
  JsonObject json{{"new_session_id", result.new_session_id},
                  {"original_session_id", result.original_session_id},
                  {"restored_at", iso8601(result.restored_at)},
                  {"project_path", result.project_path},
                  {"was_in_place", result.was_in_place},
                  {"was_dry_run", result.was_dry_run},
                  {"main_session_file", result.main_session_file},
                  {"agent_files", JsonArray(result.agent_files.begin(), result.agent_files.end())},
                  {"main_records_restored", result.main_records},
                  {"agent_records_restored", result.agent_records}};
  add_kind_counts(json, result.files, "_restored");
  json["size_bytes"] = result.bytes;
  json["resume_command"] = result.resume_command;
  json["paths_translated"] = result.paths_translated;
  json["slug_mappings_applied"] = result.slug_mappings;
  json["agent_id_mappings_applied"] = result.agent_id_mappings;
  json["source_machine_id"] = text_or_null(result.source_machine_id);
  json["custom_title"] = text_or_null(result.custom_title);
  json["left_out"] = JsonArray(result.left_out.begin(), result.left_out.end());
  json["warnings"] = JsonArray(result.warnings.begin(), result.warnings.end());
  json["rewritten"] = to_json(result.rewritten);
  return json;
}

}  // namespace holdfast::transcripts
