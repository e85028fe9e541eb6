#include "catalogue/listed_transcripts.h"

#include "base/text/text.h"
#include "base/text/uri.h"
#include "catalogue/files.h"
#include "catalogue/places.h"
#include "kinds/transcripts/home/worktrees.h"
#include "kinds/transcripts/products/claude/project_folder.h"
#include "kinds/transcripts/reading/session_info.h"
#include "kinds/transcripts/verbs/copy_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace holdfast::catalogue {

namespace {

using session::Query;
using session::SessionRecord;
using transcripts::Activity;
using transcripts::Keeper;

constexpr std::array<std::string_view, 3> kTranscriptStatuses = {"running", "idle", "kept"};

void set_root(SessionRecord& record, const std::string& project_path) {
  auto root = canonical_root(project_path);
  if (!root) return;
  record.root_uri = *root;
  record.root_name = root_display_name(*root);
}

SessionRecord to_record(const Keeper& keeper, const Found& found, const transcripts::SessionLine& line,
                        const Activity& activity) {
  SessionRecord record;
  record.id = found.id();
  record.kind = session::kTranscript;
  record.title = line.title;
  record.status = found.is_kept() ? "kept" : activity.of(record.id, found.changed_at()).word();
  set_root(record, line.project_path);
  record.created_at = line.first_time;
  record.updated_at = found.changed_at();
  record.data = {{"product", line.session.product()}};
  if (const auto* backup = found.in_backup()) {
    record.data["file"] = backup->path;
    record.data["restore_command"] = "holdfast restore --in-place " + transcripts::shell_quoted(backup->path);
    return record;
  }
  record.data["size_bytes"] = line.session.size();
  if (found.in_guard()) {
    record.data["file"] = "guard:" + record.id;
    record.data["restore_command"] = transcripts::restore_command(line.session);
  } else {
    record.data["file"] = keeper.homes().of(line.session).absolute(line.session.path());
    record.data["resume_command"] = transcripts::resume_command(line);
  }
  return record;
}

// What is known without reading any of it.
transcripts::SessionLine unread_line(transcripts::KeptLines& kept, const Found& found) {
  transcripts::SessionLine line;
  if (found.on_disk()) {
    line.session = *found.on_disk();
  } else if (found.in_backup()) {
    line.session.found = transcripts::FoundSession{{found.id(), {}}, 0, found.changed_at()};
  } else if (auto transcript = kept.transcript(*found.in_guard())) {
    line = std::move(transcript->line);
  }
  return line;
}

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

bool comes_before(session::Sort sort, const ListKey& a, const ListKey& b) {
  const bool ascending = sort == session::Sort::due;
  const ListKey &first = ascending ? a : b, &second = ascending ? b : a;
  return first.value != second.value ? first.value < second.value : first.id < second.id;
}

bool name_fits(const std::string& wanted, const std::string& root_name) {
  return wanted.empty() || fold_case(root_name).contains(fold_case(wanted));
}

bool ListedTranscripts::may_fit(const Asker& asker, const Filter& filter) {
  const Query& query = filter.query;
  const bool of_kind = query.kinds.empty() || has(query.kinds, session::kTranscript);
  const bool of_status =
      query.statuses.empty() || std::ranges::any_of(kTranscriptStatuses, [&](auto each) { return has(query.statuses, each); });
  const bool live =
      query.visibilities.empty() || std::ranges::find(query.visibilities, session::Visibility::live) != query.visibilities.end();
  const bool asks_for_more = query.pinned.value_or(false) || !query.tags.empty() || query.project || query.task || query.aspect ||
                             !query.aspects.empty() || query.due_before;
  return asker.keeper && of_kind && of_status && live && !asks_for_more;
}

Result<ListedTranscripts> ListedTranscripts::gather(const Asker& asker, const Filter& filter) {
  ListedTranscripts all(asker, filter);
  if (!may_fit(asker, filter)) return all;
  if (!asker.kept) all.unremembered_ = std::make_unique<transcripts::KeptLines>(*asker.keeper);
  HF_TRY(all.activity_, Activity::read(asker.keeper->homes().claude, asker.keeper->now()));
  HF_CHECK(all.find_trees());
  HF_CHECK(all.add_all());
  all.read_where_needed();
  const session::Sort sort = filter.query.sort;
  std::ranges::sort(all.candidates_, [&](const Candidate& a, const Candidate& b) { return comes_before(sort, a.key, b.key); });
  return all;
}

void ListedTranscripts::go_behind(const ListKey& place) {
  while (!over() && !comes_before(filter_->query.sort, place, key())) advance();
}

// To its owner a repository is one project, whichever of its working trees is named.
Result<void> ListedTranscripts::find_trees() {
  for (const std::string& root : filter_->query.roots) {
    roots_.push_back(root);
    const auto path = path_of_file_uri(root);
    if (!path) continue;
    HF_TRY(const std::string canonical, transcripts::canonical_project(*path));
    trees_.push_back(canonical);
    std::ranges::copy(transcripts::worktrees_of(canonical), std::back_inserter(trees_));
  }
  for (const std::string& tree : trees_)
    if (auto root = canonical_root(tree)) roots_.push_back(*root);
  return {};
}

bool ListedTranscripts::lies_in_tree(const std::string& project_folder) const {
  return std::ranges::any_of(trees_, [&](const std::string& tree) { return transcripts::is_folder_of(project_folder, tree); });
}

Result<void> ListedTranscripts::add_all() {
  HF_TRY(std::vector<Found> on_disk, matches_on_disk(*asker_->keeper, {}));
  std::set<std::string, std::less<>> there;
  for (Found& found : on_disk) {
    there.insert(found.id());
    add(std::move(found));
  }
  Matches kept = matches_kept(*asker_->keeper, &kept_lines(), {});
  for (auto& [place, error] : kept.unread) {
    error.message = fmt::format("what is {} cannot be read: {}", name_of(place), error.message);
    unread_.push_back(std::move(error));
  }
  for (Found& found : kept.found)
    if (!there.contains(found.id())) add(std::move(found));
  // Of one id in several folders the newest counts.
  std::ranges::stable_sort(candidates_, std::greater{}, [](const Candidate& each) { return each.found.changed_at(); });
  std::set<std::string, std::less<>> seen;
  std::erase_if(candidates_, [&](const Candidate& each) { return !seen.insert(each.key.id).second; });
  return {};
}

void ListedTranscripts::add(Found found) {
  const Query& query = filter_->query;
  const Millis time = found.changed_at();
  if ((query.updated_since && time < *query.updated_since) || (query.updated_before && time >= *query.updated_before)) return;
  if (!query.statuses.empty() && !has(query.statuses, found.is_kept() ? "kept" : activity_->of(found.id(), time).word())) return;
  Candidate candidate;
  if (!query.roots.empty()) {
    const auto* session = found.on_disk();
    const std::string folder = session && session->claude() ? session->claude()->place.project_folder
                               : found.in_guard()           ? found.in_guard()->place.project_folder
                                                            : std::string();
    candidate.by_line = folder.empty();
    if (!folder.empty() && !lies_in_tree(folder)) return;
  }
  candidate.key = {query.sort == session::Sort::due ? kLastTime : time, found.id()};
  candidate.found = std::move(found);
  candidates_.push_back(std::move(candidate));
}

// When only its ends say whether one fits, or where it stands, all are read: the total is true, and so is the order.
void ListedTranscripts::read_where_needed() {
  const Query& query = filter_->query;
  const bool by_creation = query.sort == session::Sort::created;
  for (Candidate& candidate : candidates_) {
    if (!by_creation && !(query.count && (candidate.by_line || !query.text.empty()))) continue;
    candidate.listed = read(candidate);
    if (candidate.listed && by_creation) candidate.key.value = candidate.listed->record.created_at;
    candidate.left_out = !candidate.listed;
  }
  std::erase_if(candidates_, [](const Candidate& each) { return each.left_out; });
}

bool ListedTranscripts::fits(const Candidate& candidate, const Listed& listed) const {
  const Query& query = filter_->query;
  const SessionRecord& record = listed.record;
  if (listed.line.sidechain || !name_fits(filter_->root_name, record.root_name)) return false;
  if (candidate.by_line && !(record.root_uri.empty() ? query.rootless : has(roots_, record.root_uri))) return false;
  return query.text.empty() || fold_case(record.title).contains(fold_case(query.text));
}

std::optional<Listed> ListedTranscripts::read() {
  const Candidate& candidate = candidates_[at_];
  return candidate.listed ? candidate.listed : read(candidate);
}

std::optional<Listed> ListedTranscripts::read(const Candidate& candidate) {
  auto line = candidate.found.in_guard() ? kept_lines().line_of(*candidate.found.in_guard())
                                         : line_of(*asker_->keeper, nullptr, candidate.found);
  if (!line && line.error().kind == ErrorKind::not_found) return std::nullopt;
  Listed listed;
  listed.found = candidate.found;
  listed.line = line ? *std::move(line) : unread_line(kept_lines(), candidate.found);
  listed.record = to_record(*asker_->keeper, listed.found, listed.line, *activity_);
  if (!line) listed.record.damage = line.error().message;
  if (!fits(candidate, listed)) return std::nullopt;
  return listed;
}

Result<SessionRecord> record_of(const Asker& asker, const Found& found) {
  if (found.record()) return *found.record();
  HF_TRY(const auto line, line_of(*asker.keeper, asker.kept, found));
  HF_TRY(const auto activity, Activity::read(asker.keeper->homes().claude, asker.keeper->now()));
  return to_record(*asker.keeper, found, line, activity);
}

}  // namespace holdfast::catalogue
