#include "kinds/documents/files/journal.h"
#include "kinds/documents/files/spot.h"
#include "kinds/documents/links/move.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>

namespace holdfast::documents {

namespace {

// The move that is meant. From the newest on, so that an undo is seen before what it undid, and an undone undo counts for
// nothing.
Result<JournaledOperation> find_move(Library& library, std::string_view id) {
  std::set<std::string, std::less<>> undone;
  std::optional<JournaledOperation> found;
  HF_CHECK(visit_happened(library, {"move", "undo"}, [&](JournaledOperation& operation) {
    const bool in_effect = !undone.contains(operation.id), is_undo = operation.note.action == "undo";
    if (in_effect && is_undo) undone.insert(operation.note.undoes);
    const bool meant = id.empty() ? in_effect && !is_undo : operation.id == id;
    if (meant) found = std::move(operation);
    return !meant;
  }));
  if (found && undone.contains(found->id)) return fail(ErrorKind::conflict, fmt::format("{} was undone already", found->id));
  if (found) return *std::move(found);
  if (id.empty()) return fail(ErrorKind::not_found, "nothing was moved in this library that is not undone yet");
  HF_CHECK(find_operation(library, id));
  return fail(ErrorKind::not_found, fmt::format("{} is no move that was done in this library", id));
}

// Outermost first, as the journal has them. One that holds something by now stays.
void remove_empty(Library& library, const std::vector<std::string>& folders) {
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder)
    if (const auto spot = open_spot(library, *folder)) ::unlinkat(spot->folder.get(), spot->name.c_str(), AT_REMOVEDIR);
}

}  // namespace

Result<Moved> undo_move(Library& library, LinkReader& links, const Overlay& overlay, std::string_view journal,
                        const JournalNote& note) {
  HF_TRY(const JournaledOperation operation, find_move(library, journal));
  const auto renamed = std::ranges::find(operation.steps, FileStep::Kind::rename, &JournaledStep::kind);
  if (renamed == operation.steps.end()) return fail(ErrorKind::not_found, fmt::format("{} moved nothing", operation.id));
  const auto now = library.place_of(renamed->to), before = library.place_of(renamed->key);
  if (!now || !before) return fail(ErrorKind::not_found, fmt::format("what {} moved is not in this library", operation.id));
  if (!now->exists)
    return fail(ErrorKind::conflict, fmt::format("\"{}\" is not there any more", now->path), "It was moved again, or deleted.");
  if (before->exists)
    return fail(ErrorKind::conflict, fmt::format("there is another \"{}\" by now", before->path), "Move that away first.",
                "exists");
  JournalNote undo = note;
  undo.action = "undo";
  undo.undoes = operation.id;
  HF_TRY(Moved moved, move_document(library, links, overlay, now->path, before->path, undo));
  remove_empty(library, renamed->parents);
  return moved;
}

}  // namespace holdfast::documents
