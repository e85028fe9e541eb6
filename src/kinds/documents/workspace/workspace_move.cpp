// Moving documents with all that hangs on them (document-review §5 `move`): what was read, and what is proposed beside them.

#include "kinds/documents/files/journal.h"
#include "kinds/documents/files/walk.h"
#include "kinds/documents/links/move.h"
#include "kinds/documents/workspace/workspace_state.h"

#include <fmt/format.h>

namespace holdfast::documents {

namespace {

using Keys = std::vector<std::pair<std::string, std::string>>;

// A crash behind a move can have left the store behind the files; so many of the last ones are looked at.
constexpr std::size_t kRecentMoves = 20;

Result<void> follow(WorkspaceState& workspace, const Keys& keys) {
  HF_CHECK(workspace.proposals.note_moved(keys));
  return workspace.handles.note_moved(keys);
}

std::string told(const Moved& moved) {
  std::string text =
      fmt::format("Moved {} -> {} ({} links rewritten in {} files)", moved.from, moved.to, moved.links, moved.files);
  if (moved.left > 0)
    text += fmt::format("\nNote: {} links could not follow; get_links shows them as broken in the documents that have them.",
                        moved.left);
  for (const std::string& note : moved.notes) text += fmt::format("\nNote: {}.", note);
  return text;
}

// The documents that a rename in the journal moved, as far as they are still where it put them.
Keys moved_by(WorkspaceState& workspace, const JournaledStep& step) {
  const auto from = workspace.library->place_of(step.key), to = workspace.library->place_of(step.to);
  if (!from || !to || from->exists || !to->exists) return {};
  if (!to->is_folder) return {{step.key, step.to}};
  Keys keys;
  const auto files = walk(*workspace.library, {to->path, {}});
  if (!files) return {};
  for (const WalkedFile& file : *files) keys.emplace_back(step.key + file.place.key.substr(step.to.size()), file.place.key);
  return keys;
}

}  // namespace

Result<std::string> move(WorkspaceState& workspace, const Asker& asker, std::string_view path, std::string_view new_path) {
  HF_TRY(const Opened opened, workspace.handles.open(asker.who(), asker.session_id));
  HF_TRY(const auto overlay, workspace.proposals.overlay());
  HF_TRY(const Moved moved,
         move_document(*workspace.library, workspace.links, *overlay, path, new_path, {"move", {}, short_hash(opened.label)}));
  std::string text = told(moved);
  text += not_noted(follow(workspace, moved.keys));
  text += not_noted(
      workspace.handles.note(opened.label, "moved", fmt::format("{} -> {}", moved.from, moved.to), {{"journal", moved.journal}}));
  return text + fmt::format("\n[undo: {}]", moved.journal);
}

Result<std::string> undo_move(WorkspaceState& workspace, const Asker& asker, std::string_view journal) {
  HF_TRY(const auto overlay, workspace.proposals.overlay());
  HF_TRY(const Moved moved, undo_move(*workspace.library, workspace.links, *overlay, journal, {"undo", {}, asker.name}));
  std::string text = told(moved);
  return text + not_noted(follow(workspace, moved.keys));
}

Result<void> catch_up_with_moves(WorkspaceState& workspace) {
  for (const std::string_view action : {"move", "undo"}) {
    HF_TRY(const auto operations, list_operations(*workspace.library, action, kRecentMoves));
    for (const JournaledOperation& operation : operations)
      for (const JournaledStep& step : operation.steps)
        if (step.kind == FileStep::Kind::rename)
          if (const Keys keys = moved_by(workspace, step); !keys.empty()) HF_CHECK(follow(workspace, keys));
  }
  return {};
}

}  // namespace holdfast::documents
