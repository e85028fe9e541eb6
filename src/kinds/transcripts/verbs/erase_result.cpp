#include "kinds/transcripts/home/inventory.h"
#include "kinds/transcripts/verbs/erase.h"

namespace holdfast::transcripts {

JsonObject to_json(const EraseResult& result) {
  JsonObject json{{"session_id", result.session_id},
                  {"was_dry_run", result.was_dry_run},
                  {"success", true},
                  {"error_message", nullptr},
                  {"backup_path", text_or_null(result.backup_path)},
                  {"backup_sha256", text_or_null(result.backup_sha256)},
                  {"files_deleted", result.deleted_files.size()},
                  {"size_freed_bytes", result.size_freed},
                  {"deleted_files", JsonArray(result.deleted_files.begin(), result.deleted_files.end())}};
  add_kind_counts(json, result.counts, "_deleted");
  json["directories_removed"] = JsonArray(result.directories_removed.begin(), result.directories_removed.end());
  json["duration_ms"] = result.duration_ms;
  json["deleted_at"] = iso8601(result.deleted_at);
  json["project_path"] = text_or_null(result.project_path);
  json["custom_title"] = text_or_null(result.custom_title);
  json["kept"] = JsonArray(result.kept.begin(), result.kept.end());
  json["was_running"] = result.was_running;
  json["was_terminated"] = result.was_terminated;
  json["undo_command"] = text_or_null(result.undo_command);
  json["warnings"] = JsonArray(result.warnings.begin(), result.warnings.end());
  return json;
}

}  // namespace holdfast::transcripts
