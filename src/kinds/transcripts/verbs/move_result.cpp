#include "kinds/transcripts/home/inventory.h"
#include "kinds/transcripts/verbs/move.h"

namespace holdfast::transcripts {

JsonObject to_json(const MoveResult& result) {
  JsonObject json{{"session_id", result.session_id},
                  {"source_project", result.source_project},
                  {"target_project", result.target_project},
                  {"files_moved", result.files_moved},
                  {"files_deleted", result.files_deleted}};
  add_kind_counts(json, result.moved, "_moved");
  json["paths_translated"] = result.paths_translated;
  json["was_running"] = result.was_running;
  json["was_terminated"] = result.was_terminated;
  json["backup_path"] = text_or_null(result.backup_path);
  json["backup_sha256"] = text_or_null(result.backup_sha256);
  json["undo_command"] = text_or_null(result.undo_command);
  json["custom_title"] = text_or_null(result.custom_title);
  json["resume_command"] = result.resume_command;
  json["was_dry_run"] = result.was_dry_run;
  json["duration_ms"] = result.duration_ms;
  json["moved_at"] = iso8601(result.moved_at);
  json["warnings"] = JsonArray(result.warnings.begin(), result.warnings.end());
  json["rewritten"] = to_json(result.rewritten);
  return json;
}

}  // namespace holdfast::transcripts
