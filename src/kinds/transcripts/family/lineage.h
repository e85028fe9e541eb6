#pragma once

// The family of a session, over the store's lineage events (transcript-archive §7).

#include "kinds/transcripts/archive/archive_writer.h"
#include "kinds/transcripts/products/claude/native_forks.h"
#include "kinds/transcripts/verbs/copy_result.h"
#include "kinds/transcripts/verbs/erase.h"
#include "kinds/transcripts/verbs/move.h"
#include "session/store.h"

namespace holdfast::transcripts {

std::string machine_id();  // "user@hostname"

// What happened, for the store. `how`: clone, restore, in-place, move, delete, archive.
struct ArchiveOrigin {
  std::string path;    // of the archive: a file or gist://..., s3://...; empty for a clone
  std::string sha256;  // of the archive
};
Result<void> record_copy(session::Store& store, const CopyResult& result, std::string_view how, const std::string& parent_project,
                         const ArchiveOrigin& origin);
Result<void> record_move(session::Store& store, const MoveResult& result);
Result<void> record_erase(session::Store& store, const EraseResult& result);
// Also remembers the hash, so that a later restore of that very archive is trusted with session-env.
Result<void> record_archive(session::Store& store, const ArchiveReport& report, const std::string& where);
Result<bool> wrote_archive(session::Store& store, std::string_view sha256);
// The move whose backup has that hash; nullopt: it is none of a move.
struct RecordedMove {
  bool paths_translated = false;
  std::vector<std::pair<std::string, std::string>> maps;
};
Result<std::optional<RecordedMove>> move_with_backup(session::Store& store, std::string_view session_id, std::string_view sha256);
// A restore of that very archive in place, and a delete, by the events.
Result<bool> was_restored(session::Store& store, std::string_view session_id, std::string_view sha256);
Result<std::optional<session::LineageEvent>> last_delete(session::Store& store, std::string_view session_id);
// A clone or a restore of ours, by the events.
Result<bool> made_by_us(session::Store& store, std::string_view session_id);
// Whether the transcript with this time is as we put it in place (copied, restored or moved it): nobody has written to it since.
Result<bool> is_as_we_wrote_it(session::Store& store, std::string_view session_id, Millis written);

struct LineageNode {
  std::string session_id;
  std::string parent_id;  // empty: root
  std::vector<std::string> children;
  int depth = 0;
  std::string cloned_at, method;  // empty for a root
  std::string parent_project_path, parent_machine_id, target_project_path, target_machine_id, archive_path;
  std::optional<bool> paths_translated, is_cross_machine;
  std::string custom_title;
  std::vector<session::LineageEvent> events;  // moves, archives, deletes of this session
};
struct LineageTree {
  std::string root_session_id, queried_session_id;
  std::map<std::string, LineageNode> nodes;
};
// nullopt: nothing is known about it. Works for ids whose files are gone. The store may be null: then the client's own forks are
// all there is. Where both know an origin, the store's counts: a copy of a fork has the fork's records. `title_of` may be empty.
Result<std::optional<LineageTree>> lineage_tree(session::Store* store, const std::string& session_id,
                                                const std::function<std::string(const std::string&)>& title_of,
                                                const std::vector<NativeFork>& forks = {});
// The one id that begins so, of all the events name. Errors: not_found, ambiguous.
Result<std::string> remembered_id(session::Store& store, std::string_view prefix);
JsonObject to_json(const LineageTree& tree);  // the field names of §7

// The original's lineage.json: imported once per file content, exported in its shape. Returns how many were new.
Result<std::size_t> import_lineage(session::Store& store, const std::string& path);
// From where the original keeps it, when it is there and was not imported before. Never fails a command: returns a warning or
// nothing.
std::optional<std::string> import_original_lineage(session::Store& store, const std::string& home_folder);
// The trees of these sessions; without ids, every copy the store knows of.
Result<JsonObject> export_lineage(session::Store& store, const std::vector<std::string>& session_ids);

}  // namespace holdfast::transcripts
