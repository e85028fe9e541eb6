// What waits for a person (document-review §7 `list_changes`).

#include "base/files/at_or_below.h"
#include "kinds/documents/text/views.h"
#include "kinds/documents/workspace/workspace_state.h"

#include <algorithm>

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

}  // namespace holdfast::documents
