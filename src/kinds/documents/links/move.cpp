#include "kinds/documents/links/move.h"

#include "base/files/at_or_below.h"
#include "base/files/path_below.h"
#include "kinds/documents/files/journal.h"
#include "kinds/documents/files/path_name.h"
#include "kinds/documents/files/spot.h"
#include "kinds/documents/links/link_map.h"
#include "kinds/documents/links/link_rewrite.h"
#include "kinds/documents/text/markup.h"
#include "kinds/documents/text/view_reader.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>

namespace holdfast::documents {

namespace {

std::unexpected<Error> bad_move(std::string message, std::string hint) {
  return fail(ErrorKind::invalid, std::move(message), std::move(hint), "bad_argument");
}

// What can be refused without looking at any link.
Result<void> check_places(const Place& from, const Place& to) {
  if (from.relative.empty()) return bad_move("a whole folder of the library cannot be moved", "Name something in it.");
  if (is_at_or_below(to.key, from.key))
    return bad_move(fmt::format("\"{}\" lies inside of \"{}\"", to.path, from.path), "A folder cannot be moved into itself.");
  if (from.is_folder && folded_name(to.path).ends_with(".md"))
    return bad_move(fmt::format("\"{}\" is a folder, and \"{}\" is a name for a document", from.path, to.path),
                    "Name the folder without .md.");
  return {};
}

bool has_pending_changes(std::string_view raw) {
  return std::ranges::any_of(parse_markup(raw), [](const Atom& atom) { return atom.kind == Atom::Kind::change; });
}

// Each one is locked, which takes a descriptor; others need some, too.
std::size_t most_rewrites() {
  struct rlimit files{};
  const bool known = ::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY;
  return known ? std::min<std::size_t>(files.rlim_cur / 2, kMaxMoveRewrites) : kMaxMoveRewrites;
}

// What moves is the document that a link leads to; the link itself stays, with nothing behind it.
Result<std::vector<std::string>> links_left_behind(Library& library, std::string_view typed, const Place& from) {
  HF_TRY(std::vector<std::string> segments, path_segments(typed, PathFor::existing));
  if (library.settings().names_folders()) segments.erase(segments.begin());
  const auto named = open_below(library.folder_of(from), join_path(segments), O_PATH | O_NOFOLLOW);
  struct stat status{};
  const bool is_link = named && ::fstat(named->get(), &status) == 0 && S_ISLNK(status.st_mode);
  if (!is_link) return std::vector<std::string>();
  return std::vector{fmt::format("\"{}\" is a link to \"{}\", which was moved: the link points nowhere now", typed, from.path)};
}

class Mover {
 public:
  Mover(Library& library, const LinkMapState& links, Place from, Place to)
      : library_(library),
        links_(links),
        from_(std::move(from)),
        to_(std::move(to)),
        renaming_{from_.path, to_.path},
        after_(renamed(links.names.paths()), links.names.folders()),
        spelling_(links.names, after_, renaming_) {}

  Result<Moved> run(const JournalNote& note) {
    std::vector<const LinkSource*> concerned;
    // Both places of what is moved are locked, and every document that is rewritten.
    std::set<std::string> keys = {from_.key, to_.key};
    for (const LinkSource& source : links_.sources) {
      if (!is_concerned(source)) continue;
      if (!library_.require_writable(source.place)) {
        ++moved_.left;
        continue;
      }
      concerned.push_back(&source);
      keys.insert(source.place.key);
    }
    if (concerned.size() > most_rewrites())
      return fail(
          ErrorKind::too_large,
          fmt::format("links of {} documents would have to be rewritten, more than {}", concerned.size(), most_rewrites()),
          "Move what is in the folder piece by piece.");
    HF_TRY(const std::vector<DocumentLock> locks, DocumentLock::take_all(library_, keys));
    HF_CHECK(check_kind());
    for (const LinkSource* source : concerned) HF_CHECK(rewrite(source->place));

    FileStep step;
    step.kind = FileStep::Kind::rename;
    step.place = from_;
    step.to = to_;
    steps_.push_back(std::move(step));
    HF_TRY(Applied applied, apply_steps(library_, steps_, note));
    moved_.from = from_.path;
    moved_.to = to_.path;
    moved_.journal = std::move(applied.journal);
    return std::move(moved_);
  }

  void add_keys(const std::vector<WalkedFile>& files) {
    for (const WalkedFile& file : files)
      moved_.keys.emplace_back(file.place.key, to_.key + file.place.key.substr(from_.key.size()));
  }

 private:
  std::vector<std::string> renamed(const std::vector<std::string>& paths) const {
    std::vector<std::string> made;
    made.reserve(paths.size());
    for (const std::string& path : paths) made.push_back(renaming_.of(path));
    return made;
  }

  bool is_concerned(const LinkSource& source) const {
    const auto changes = [&](const LinkTarget& link) {
      return spelling_.ask(source.place.path, link.markdown, link.target).kind != LinkSpelling::Answer::Kind::keep;
    };
    return std::ranges::any_of(source.links->accepted, changes) || std::ranges::any_of(source.links->base, changes);
  }

  // Markup in a kind that does not carry it would be text for ever.
  Result<void> check_kind() {
    if (from_.is_folder || !from_.reviewed || to_.reviewed) return {};
    HF_TRY(const FileState state, read_document(library_, from_, kMaxSearchedBytes));
    if (!has_pending_changes(state.bytes)) return {};
    return bad_move(fmt::format("\"{}\" has pending changes, which \"{}\" cannot carry", from_.path, to_.path),
                    "Have them accepted or rejected first, or keep the extension.");
  }

  Result<void> rewrite(const Place& place) {
    auto read = read_document(library_, place);
    if (!read && read.error().kind == ErrorKind::too_large) {
      ++moved_.left;
      return {};
    }
    if (!read) return fail(std::move(read).error());
    FileState state = *std::move(read);
    HF_TRY(RewrittenLinks made, rewrite_links(state.bytes, place.reviewed, place.path, spelling_));
    moved_.left += made.left;
    if (made.rewritten == 0) return {};
    moved_.links += made.rewritten;
    ++moved_.files;
    FileStep step;
    step.kind = FileStep::Kind::replace;
    step.place = place;
    state.bytes.clear();
    step.expected = std::move(state);
    step.bytes = std::move(made.raw);
    steps_.push_back(std::move(step));
    return {};
  }

  Library& library_;
  const LinkMapState& links_;
  const Place from_, to_;
  const Renaming renaming_;
  const DocumentNames after_;
  const LinkSpelling spelling_;
  std::vector<FileStep> steps_;
  Moved moved_;
};

}  // namespace

Result<Moved> move_document(Library& library, LinkReader& links, const Overlay& overlay, std::string_view path,
                            std::string_view new_path, const JournalNote& note) {
  for (int tries = 1;; ++tries) {
    HF_TRY(const Place from, library.find(path));
    HF_TRY(const Place to, library.find_new(new_path));
    HF_CHECK(check_places(from, to));
    HF_CHECK(library.require_writable(from));
    HF_CHECK(library.require_writable(to));
    HF_TRY(std::vector<std::string> notes, links_left_behind(library, path, from));
    WalkOptions below;
    below.below = from.path;
    HF_TRY(const std::vector<WalkedFile> files, walk(library, below));
    HF_TRY(const LinkMap map, links.read(library, overlay, {}));
    Mover mover(library, map.state(), from, to);
    mover.add_keys(files);
    auto moved = mover.run(note);
    // Somebody saved one of the documents meanwhile: what it says now is looked at again.
    const bool saved_meanwhile = !moved && moved.error().kind == ErrorKind::conflict && moved.error().code != "exists";
    if (saved_meanwhile && tries < kWriteTries) continue;
    if (moved) moved->notes = std::move(notes);
    return moved;
  }
}

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
