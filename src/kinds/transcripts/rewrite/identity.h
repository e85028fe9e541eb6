#pragma once

// Who a copy is: new ids for old ones, and the paths its files get (transcript-archive §5).

#include "kinds/transcripts/home/inventory.h"

#include <map>
#include <string>
#include <string_view>

namespace holdfast::transcripts {

// New message uuids for old ones (transcript-archive §5, --fresh-uuids).

// The uuid that `old_uuid` gets in the session `new_session`: a UUIDv4 by its looks, a keyed hash by its making. So every file of
// a copy arrives at the same new uuid, in any order, without a table that would grow with the session.
std::string fresh_uuid(std::string_view new_session, std::string_view old_uuid);

struct Identity {
  std::string old_session, new_session;                    // equal: the session keeps its id (move, in-place)
  std::string old_folder, new_folder;                      // project folder names; equal: same project
  std::string new_home;                                    // the client's folder the copy lies in; empty: where the original does
  std::string suffix;                                      // 8 hex from the random end of the new id; empty when the id is kept
  std::map<std::string, std::string, std::less<>> agents;  // flat subagents only: old id -> new
  std::map<std::string, std::string, std::less<>> slugs;   // every slug seen
  bool fresh_uuids = false;

  bool keeps_id() const { return old_session == new_session; }
};

// A copy of these files: new UUIDv7, suffix, flat agents and slugs renamed, never stacking "-clone-".
Identity identity_of_copy(const SessionPlace& from, const std::string& new_session, const std::string& new_folder,
                          const std::vector<std::string>& flat_agents, const std::vector<std::string>& slugs);
// Same id, other (or same) project.
Identity identity_of_move(const SessionPlace& from, const std::string& new_folder);

// "name-clone-1a2b3c4d-clone-…" -> "name"
std::string_view base_of_clone(std::string_view id_or_slug);
// "Title (clone-1a2b3c4d)" -> "Title (clone-<suffix>)"; nothing to strip: appended. No title stays none.
std::string clone_title(std::string_view title, std::string_view suffix);

// Where a file of the original goes. Artifacts are those inventory or an archive reader name. nullopt: it has no place in the
// copy (task_lock).
std::optional<std::string> new_path(const Identity& identity, const Artifact& artifact);

}  // namespace holdfast::transcripts
