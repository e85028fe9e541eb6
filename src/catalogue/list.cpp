#include "catalogue/list.h"

#include "base/crypto/hash.h"
#include "base/text/text.h"
#include "base/text/uri.h"
#include "catalogue/files.h"
#include "catalogue/find.h"
#include "kinds/transcripts/home/running.h"
#include "kinds/transcripts/home/worktrees.h"
#include "kinds/transcripts/products/claude/project_folder.h"
#include "kinds/transcripts/reading/session_info.h"
#include "kinds/transcripts/verbs/copy_result.h"
#include "session/limits.h"
#include "session/query/cursor.h"
#include "session/query/known_damage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

namespace holdfast::catalogue {

namespace {

// Transcripts that may fit a filter, from all their places, in the order of a list. Used by list.cpp alone.

inline constexpr std::int64_t kLastTime = std::numeric_limits<std::int64_t>::max();

// What the order compares.
struct ListKey {
  std::int64_t value = 0;
  std::string id;
};

class ListedTranscripts {
 public:
  // False when none can: of somebody else, or asked for what transcripts do not have.
  static bool may_fit(const Asker& asker, const Filter& filter);
  // All outlives it. Reads the ends of those of which the filter, the order or the total asks what only these say.
  static Result<ListedTranscripts> gather(const Asker& asker, const Filter& filter);

  const std::vector<Error>& unread() const { return unread_; }
  std::int64_t total() const { return static_cast<std::int64_t>(candidates_.size()); }
  void go_behind(const ListKey& place);
  bool over() const { return at_ == candidates_.size(); }
  const ListKey& key() const { return candidates_[at_].key; }
  void advance() { ++at_; }
  // nullopt: gone meanwhile, or it does not fit.
  std::optional<Listed> read();

 private:
  struct Candidate {
    Found found;
    ListKey key;
    bool by_line = false;  // only its records say whether it lies under the root
    bool left_out = false;
    std::optional<Listed> listed;
  };
  ListedTranscripts(const Asker& asker, const Filter& filter) : asker_(&asker), filter_(&filter) {}

  transcripts::KeptLines& kept_lines() { return asker_->kept ? *asker_->kept : *unremembered_; }
  Result<void> find_trees();
  bool lies_in_tree(const std::string& project_folder) const;
  Result<void> add_all();
  void add(Found found);
  void read_where_needed();
  std::optional<Listed> read(const Candidate& candidate);
  bool fits(const Candidate& candidate, const Listed& listed) const;

  const Asker* asker_;
  const Filter* filter_;
  std::unique_ptr<transcripts::KeptLines> unremembered_;
  std::optional<transcripts::Activity> activity_;
  std::vector<std::string> trees_, roots_;  // of the roots that are asked for: working trees; all as roots
  std::vector<Candidate> candidates_;
  std::vector<Error> unread_;
  std::size_t at_ = 0;
};

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

// As the store has it: the earliest due first, otherwise the newest.
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

bool wants_stored(const session::Query& query) {
  return query.kinds.empty() ||
         std::ranges::any_of(query.kinds, [](const std::string& kind) { return kind != session::kTranscript; });
}

// Where a page ended in each of the two streams.
struct ListCursor {
  std::optional<ListKey> transcript;  // the last that was looked at; nullopt: none was
  std::string stored;                 // the store's own cursor; empty: at its beginning
  bool stored_over = false;

  static Result<ListCursor> read(std::string_view secret, const session::Query& query) {
    ListCursor cursor;
    if (query.cursor.empty()) return cursor;
    HF_TRY(const session::Position position, session::read_cursor(secret, query));
    // Where there is no store there is no secret either, and a cursor is only what somebody typed.
    if (position.keys[1] < 0 || position.id.size() <= static_cast<std::size_t>(position.keys[1]))
      return fail(ErrorKind::invalid, "the cursor is none of this list", "repeat the call without one to start again",
                  "INVALID_CURSOR");
    const auto id_length = static_cast<std::size_t>(position.keys[1]);
    if (id_length > 0) cursor.transcript = ListKey{position.keys[0], position.id.substr(0, id_length)};
    cursor.stored = position.id.substr(id_length + 1);
    cursor.stored_over = position.keys[2] != 0;
    return cursor;
  }
  std::string text(std::string_view secret, const session::Query& query) const {
    session::Position position;
    if (transcript) {
      position.keys = {transcript->value, static_cast<std::int64_t>(transcript->id.size())};
      position.id = transcript->id;
    }
    position.keys[2] = stored_over ? 1 : 0;
    position.id += ':' + stored;  // a cursor has some text
    return session::make_cursor(secret, query, position);
  }
};

// The store's sessions from a cursor on, page by page.
class StoredStream {
 public:
  // nullptr: nothing of the store is wanted.
  StoredStream(session::Store* store, session::Query query, const ListCursor& from, std::size_t at_once)
      : store_(store), query_(std::move(query)), over_(!store || from.stored_over) {
    query_.cursor = begin_ = from.stored;
    query_.offset = 0;
    query_.limit = std::clamp<std::size_t>(at_once, 1, session::kMaxListLimit);
  }

  // The next one, left in place; nullptr at the end.
  Result<session::SessionRecord*> peek() {
    if (at_ == items_.size() && !over_) HF_CHECK(turn_page());
    return at_ < items_.size() ? &items_[at_] : nullptr;
  }
  void advance() { ++at_; }

  // All that fit, wherever it stands.
  Result<std::int64_t> total() {
    if (!store_) return 0;
    if (total_ == session::kNotCounted) {
      session::Query all = query_;
      all.cursor.clear();
      all.limit = 1;
      all.count = true;
      HF_TRY(const session::Page page, store_->list(all));
      total_ = page.total;
    }
    return total_;
  }

  // Says where it stands: behind what was passed, however others have changed since.
  Result<void> mark(ListCursor& cursor) {
    cursor.stored_over = over_ && at_ == items_.size();
    cursor.stored = at_ == items_.size() ? query_.cursor : begin_;
    if (at_ == 0 || at_ == items_.size()) return {};
    session::Query passed = query_;
    passed.cursor = begin_;
    passed.limit = at_;
    passed.count = false;
    HF_TRY(session::Page page, store_->list(passed));
    cursor.stored = std::move(page.next_cursor);
    cursor.stored_over = cursor.stored.empty();
    return {};
  }

 private:
  Result<void> turn_page() {
    begin_ = query_.cursor;
    HF_TRY(session::Page page, store_->list(query_));
    session::look_for_damage(*store_, page.items);
    if (query_.count) total_ = page.total;
    query_.count = false;
    items_ = std::move(page.items);
    at_ = 0;
    query_.cursor = page.next_cursor;
    over_ = page.next_cursor.empty();
    return {};
  }

  session::Store* store_;
  session::Query query_;
  std::string begin_;  // of the page that is held
  std::vector<session::SessionRecord> items_;
  std::size_t at_ = 0;
  std::int64_t total_ = session::kNotCounted;
  bool over_;
};

ListKey key_of(const session::SessionRecord& record, session::Sort sort) {
  // The store puts what it cannot read first.
  if (record.damage && record.updated_at == 0) return {sort == session::Sort::due ? 0 : kLastTime, record.id};
  if (sort == session::Sort::due) return {record.due_at.value_or(kLastTime), record.id};
  return {sort == session::Sort::created ? record.created_at : record.updated_at, record.id};
}

Result<Page> list_stored(session::Store& store, const session::Query& query) {
  HF_TRY(session::Page page, store.list(query));
  session::look_for_damage(store, page.items);
  Page listed{{}, page.total, std::move(page.next_cursor), {}};
  for (session::SessionRecord& record : page.items) listed.items.push_back({{record}, record, {}});
  return listed;
}

// Both in one order.
Result<Page> merge(session::Store* store, const Asker& asker, const Filter& filter, const std::string& secret) {
  const session::Query& query = filter.query;
  HF_TRY(ListCursor cursor, ListCursor::read(secret, query));
  StoredStream stored(store, query, cursor, query.offset + query.limit + 1);
  HF_TRY(ListedTranscripts files, ListedTranscripts::gather(asker, filter));
  Page page;
  page.unread = files.unread();
  page.total = session::kNotCounted;
  if (query.count && filter.root_name.empty()) {
    HF_CHECK(stored.peek());  // the first page brings it along
    HF_TRY(const std::int64_t of_store, stored.total());
    page.total = of_store + files.total();
  }
  if (cursor.transcript) files.go_behind(*cursor.transcript);

  std::size_t passed = 0;
  for (std::size_t looked_at = 0;; ++looked_at) {
    HF_TRY(session::SessionRecord* const record, stored.peek());
    if (!record && files.over()) return page;
    const bool is_file = !record || (!files.over() && comes_before(query.sort, files.key(), key_of(*record, query.sort)));
    std::optional<Listed> item;
    if (is_file) {
      item = files.read();
    } else if (name_fits(filter.root_name, record->root_name)) {
      item = Listed{{*record}, *record, {}};
    }
    const bool enough = page.items.size() == query.limit && item;
    if (enough || (filter.look_at_most > 0 && looked_at == filter.look_at_most)) {
      HF_CHECK(stored.mark(cursor));
      page.next_cursor = cursor.text(secret, query);
      return page;
    }
    if (is_file) {
      cursor.transcript = files.key();
      files.advance();
    } else {
      stored.advance();
    }
    if (item && passed++ >= query.offset) page.items.push_back(*std::move(item));
  }
}

}  // namespace

std::vector<std::string> Page::warnings() const {
  std::vector<std::string> told;
  for (const Error& each : unread) told.push_back(each.message);
  return told;
}

Result<Page> list(const Asker& asker, const Filter& filter) {
  session::Query query = filter.query;
  query.limit = std::min(query.limit, session::kMaxListLimit);  // the store's limit; it is asked as often as needed
  HF_CHECK(session::check_query(query));
  session::Store* store = nullptr;
  if (asker.store) {
    HF_TRY(store, asker.store());
  }
  const bool stored = store && wants_stored(filter.query), files = ListedTranscripts::may_fit(asker, filter);
  if (stored && !files && filter.root_name.empty()) return list_stored(*store, filter.query);
  // Its own key: this cursor is none of the store's, and belongs to what the store's conditions do not know.
  const std::string secret(bytes_of(hmac_sha256(store ? store->secret() : "", "all places\n" + filter.root_name)));
  return merge(stored ? store : nullptr, asker, filter, secret);
}

Result<SessionRecord> record_of(const Asker& asker, const Found& found) {
  if (found.record()) return *found.record();
  HF_TRY(const auto line, line_of(*asker.keeper, asker.kept, found));
  HF_TRY(const auto activity, Activity::read(asker.keeper->homes().claude, asker.keeper->now()));
  return to_record(*asker.keeper, found, line, activity);
}

}  // namespace holdfast::catalogue
