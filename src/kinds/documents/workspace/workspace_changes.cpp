// What waits for a person, and what they say about it (document-review §6.5, §7 `list_changes`).

#include "base/files/at_or_below.h"
#include "base/text/text.h"
#include "kinds/documents/text/decide.h"
#include "kinds/documents/text/delimiters.h"
#include "kinds/documents/text/views.h"
#include "kinds/documents/workspace/workspace_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

namespace holdfast::documents {

namespace {

bool wanted(const PendingChange& change, const ChangeFilter& filter) {
  if (!filter.author.empty() && change.author != filter.author) return false;
  return !filter.since || (change.time && *change.time >= *filter.since);
}

// A file that is there no more is stale, unless it is to be made.
bool is_stale(WorkspaceState& workspace, const Proposal& proposal, const Place& place) {
  if (proposal.kind == Proposal::Kind::create) return place.exists;
  const auto file = read_document(*workspace.library, place, kMaxReadBytes);
  return !file || file->version != proposal.base_version;
}

// The lines in which two texts differ, between what they begin and end with.
void show_difference(std::string_view before, std::string_view after, PendingChange& change) {
  const auto line_begin = [](std::string_view text, std::size_t at) { return at == 0 ? 0 : text.rfind('\n', at - 1) + 1; };
  std::size_t head = 0;
  while (head < before.size() && head < after.size() && before[head] == after[head]) ++head;
  head = line_begin(before, head);
  std::size_t tail = 0;
  const std::size_t most = std::min(before.size(), after.size()) - head;
  while (tail < most && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) ++tail;
  // Back to the end of a line that both have.
  const std::size_t newline = before.find('\n', before.size() - tail);
  tail = newline == std::string_view::npos ? 0 : before.size() - newline - 1;
  change.line = 1 + std::count(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(head), '\n');
  change.del = before.substr(head, before.size() - tail - head);
  change.ins = after.substr(head, after.size() - tail - head);
}

}  // namespace

Result<std::vector<PendingChange>> changes(WorkspaceState& workspace, const ChangeFilter& filter,
                                           const std::function<bool()>& cancelled) {
  std::string below;
  if (!filter.path.empty() && filter.path != ".") {
    const auto place = workspace.library->find(filter.path);
    // A file that is only proposed has changes too.
    const auto vacant = place ? Result<Place>(fail(ErrorKind::not_found, "")) : workspace.library->find_new(filter.path);
    if (!place && !vacant) return fail(place.error());
    below = place ? place->path : vacant->path;
    if (!place) {
      HF_TRY(const auto proposed, workspace.proposals.all());
      const bool any = std::ranges::any_of(proposed, [&](const Proposal& each) { return is_at_or_below(each.key, vacant->key); });
      if (!any) return fail(place.error());
    }
  }
  std::vector<PendingChange> found;
  const bool on_disk = below.empty() || workspace.library->find(below).has_value();
  std::vector<Place> places;
  if (on_disk) {
    HF_TRY(places, workspace.index.documents_with_changes(*workspace.library, below, cancelled));
  }
  for (const Place& place : places) {
    const auto file = read_document(*workspace.library, place);
    if (!file) continue;  // gone meanwhile
    for (PendingChange& change : pending_in(file->bytes)) {
      change.path = place.path;
      found.push_back(std::move(change));
    }
  }
  HF_TRY(const auto proposals, workspace.proposals.all());
  for (const Proposal& proposal : proposals) {
    const auto place = workspace.library->place_of(proposal.key);
    if (!place || !is_at_or_below(place->path, below)) continue;
    PendingChange change;
    change.id = change.mark = proposal.id;
    change.path = place->path;
    change.kind = name_of(proposal.kind);
    change.author = proposal.author;
    change.time = proposal.time;
    change.comments = proposal.comments;
    change.stale = is_stale(workspace, proposal, *place);
    // Of a stale one the whole text, so that a person can see what it was.
    if (proposal.kind == Proposal::Kind::create || (proposal.kind == Proposal::Kind::edit && change.stale))
      change.ins = proposal.bytes;
    if (proposal.kind == Proposal::Kind::remove || (proposal.kind == Proposal::Kind::edit && !change.stale)) {
      const auto file = read_document(*workspace.library, *place, kMaxReadBytes);
      if (file && proposal.kind == Proposal::Kind::edit) show_difference(file->bytes, proposal.bytes, change);
      if (file && proposal.kind == Proposal::Kind::remove) show_whole_file(view_of(file->bytes, Side::accepted), change);
    }
    found.push_back(std::move(change));
  }
  name_apart(found);
  std::erase_if(found, [&](const PendingChange& change) { return !wanted(change, filter); });
  // Within a document they stand as they are read there; that it is to go comes first.
  std::ranges::stable_sort(found, {}, [](const PendingChange& each) { return std::pair(each.path, each.kind != "delete"); });
  return found;
}

namespace {

Result<void> check_comment(const Asker& asker, std::string_view note) {
  if (!asker.reviewer)
    return fail(ErrorKind::refused, "only a person comments on a change", "a comment in new_string is written {>>so<<}",
                "reviewer_required");
  if (trim(note).empty()) return fail(ErrorKind::invalid, "the comment is empty", "", "bad_argument");
  for (const Delimiters& each : kDelimiters)
    if (note.contains(each.opener) || note.contains(each.closer))
      return fail(ErrorKind::invalid,
                  fmt::format("the comment contains {}", note.contains(each.opener) ? each.opener : each.closer),
                  "write it without CriticMarkup", "markup_in_input");
  return {};
}

struct CommentPlace {
  std::size_t at = 0;
  std::string on;  // the change that it is about
};

// Behind the last mark of the change or behind the comment of this id, and behind what was said about it before.
std::optional<CommentPlace> place_behind(std::string_view raw, const std::vector<Atom>& atoms, std::string_view id) {
  const std::vector<Remark> remarks = find_remarks(raw);
  for (const Atom& atom : std::views::reverse(atoms))
    if (atom.kind == Atom::Kind::change && atom.id == id) return CommentPlace{thread_end(remarks, atom.end), atom.id};
  for (const Remark& remark : remarks)
    if (remark.id == id) return CommentPlace{thread_end(remarks, remark.end), remark.on};
  return std::nullopt;
}

Result<void> write_comment(WorkspaceState& workspace, const Asker& asker, const Place& place, std::string_view change_id,
                           std::string_view note) {
  HF_TRY(const FileState file, read_document(*workspace.library, place));
  const std::string_view raw = file.bytes;
  const std::vector<Atom> atoms = parse_markup(raw);
  const auto behind = place_behind(raw, atoms, change_id);
  if (!behind)
    return fail(ErrorKind::not_found, fmt::format("there is no change {} in {} any more", change_id, place.path), "",
                "not_found");
  const Millis now_ms = workspace.clock.now();
  const std::string metadata =
      behind->on.empty() ? write_metadata({}, asker.name, now_ms) : write_comment_metadata(asker.name, now_ms, behind->on);
  const std::string remark =
      fmt::format("{}{}{}{}", opener_of(Block::comment), metadata, escape_note(note), closer_of(Block::comment));
  const std::string after = fmt::format("{}{}{}", raw.substr(0, behind->at), remark, raw.substr(behind->at));
  // Whatever stands around it, the changes must be the same ones.
  const std::vector<Atom> now = parse_markup(after);
  const auto ids = [](const std::vector<Atom>& all) {
    std::vector<std::string> found;
    for (const Atom& each : all)
      if (each.kind == Atom::Kind::change) found.push_back(each.id);
    return found;
  };
  if (ids(atoms) != ids(now) || view_of(now, after, Side::base).size() < view_of(atoms, raw, Side::base).size())
    return fail(ErrorKind::refused, "the comment would not read back as intended; nothing was written", "", "would_corrupt");
  FileStep step;
  step.kind = FileStep::Kind::replace;
  step.place = place;
  step.expected = file;
  step.expected.bytes.clear();
  step.bytes = after;
  HF_CHECK(apply_steps(*workspace.library, {std::move(step)}, {"comment", {std::string(change_id)}, asker.name}));
  return {};
}

}  // namespace

Result<PendingChange> comment(WorkspaceState& workspace, const Asker& asker, std::string_view path, std::string_view change_id,
                              std::string_view note) {
  HF_CHECK(check_comment(asker, note));
  ChangeFilter where;
  where.path = path;
  HF_TRY(const auto pending, changes(workspace, where, asker.cancelled));
  HF_TRY(const PendingChange* const change, named_change(pending, change_id));
  HF_TRY(const auto proposals, workspace.proposals.all());
  const auto proposal = std::ranges::find(proposals, change->mark, &Proposal::id);
  if (proposal != proposals.end()) {
    Proposal commented = *proposal;
    commented.comments.push_back(fmt::format("{}: {}", asker.name, note));
    HF_CHECK(workspace.proposals.keep(commented));
    PendingChange shown = *change;
    shown.comments = commented.comments;
    return shown;
  }
  HF_TRY(const Place place, workspace.library->find(change->path));
  HF_CHECK(workspace.library->require_writable(place));
  HF_TRY(const DocumentLock lock, DocumentLock::take(*workspace.library, place.key));
  auto written = write_comment(workspace, asker, place, change->mark, note);
  for (int tries = 1; !written && written.error().kind == ErrorKind::conflict && tries < kWriteTries; ++tries)
    written = write_comment(workspace, asker, place, change->mark, note);
  if (!written) return fail(written.error());
  ChangeFilter of_file;
  of_file.path = change->path;
  HF_TRY(const auto now, changes(workspace, of_file, asker.cancelled));
  const auto commented = std::ranges::find(now, change->mark, &PendingChange::mark);
  PendingChange shown = commented == now.end() ? *change : *commented;
  shown.id = change->id;
  return shown;
}

}  // namespace holdfast::documents
