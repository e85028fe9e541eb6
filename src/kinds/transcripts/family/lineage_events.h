#pragma once

// How the family of transcripts is written into the store: the words of the events, the names in their details, and the spaces
// of keyed values. Internal to lineage*.cpp; docs/formats names nothing of it, since only the store reads it.

#include "session/store.h"

namespace holdfast::transcripts {

// Archives this store's user wrote, by sha256: {session_id, where, archived_at}.
inline constexpr std::string_view kArchivesSpace = "transcripts.archives";
// Ids of copies: the store has no list of all its lineage, and an export needs one.
inline constexpr std::string_view kCopiesSpace = "transcripts.copies";
// Every id that an event names, for those who know only the start of one.
inline constexpr std::string_view kSessionsSpace = "transcripts.sessions";
// Contents of lineage files that were imported, by sha256.
inline constexpr std::string_view kImportsSpace = "transcripts.lineage-imports";

// Details of a copy; the names are those of the original's file.
inline constexpr std::string_view kClonedAt = "cloned_at";  // only of imported ones: as it was written there
inline constexpr std::string_view kParentProject = "parent_project_path";
inline constexpr std::string_view kParentMachine = "parent_machine_id";
inline constexpr std::string_view kTargetProject = "target_project_path";
inline constexpr std::string_view kTargetMachine = "target_machine_id";
inline constexpr std::string_view kPathsTranslated = "paths_translated";
inline constexpr std::string_view kArchivePath = "archive_path";
// Ours.
inline constexpr std::string_view kTitle = "custom_title";
inline constexpr std::string_view kArchiveHash = "archive_sha256";
inline constexpr std::string_view kWrittenAt = "written_at";  // time of the transcript that was put in place
// Of a move, so that it can be undone: the hash of its backup, and further paths it translated.
inline constexpr std::string_view kBackupHash = "backup_sha256";
inline constexpr std::string_view kMaps = "maps";

inline bool is_copy(const session::LineageEvent& event) {
  return !event.parent.empty() && event.parent != event.child && (event.how == "clone" || event.how == "restore");
}

// Made by the client; never stored (native_forks.h).
inline constexpr std::string_view kFork = "fork";

// Empty when it is not there, or null.
inline std::string detail(const session::LineageEvent& event, std::string_view name) {
  return std::string(find_string(event.details, name).value_or(""));
}

// An event of a copy, and its id where an export finds it.
Result<void> add_copy(session::Transaction& transaction, session::LineageEvent event);

inline std::string copied_at(const session::LineageEvent& event) {
  const std::string written = detail(event, kClonedAt);
  return written.empty() ? iso8601(event.when) : written;
}

}  // namespace holdfast::transcripts
