#include "web/pages/timeline.h"

#include "base/run/log.h"
#include "base/text/text.h"
#include "base/text/uri.h"
#include "kinds/transcripts/home/running.h"
#include "session/query/display.h"
#include "session/query/known_damage.h"
#include "web/gateway/access_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <variant>

namespace holdfast::web {

namespace {

constexpr std::size_t kStorePage = 100;

// Where a page ended: so many items of this time (and all younger ones) have been looked at.
struct TimelineCursor {
  Millis time = std::numeric_limits<Millis>::max();
  std::size_t skip = 0;

  static Result<TimelineCursor> parse(std::string_view text) {
    TimelineCursor cursor;
    if (text.empty()) return cursor;
    const char* end = text.data() + text.size();
    const auto time = std::from_chars(text.data(), end, cursor.time);
    if (time.ec == std::errc() && time.ptr != end && *time.ptr == '.') {
      const auto skip = std::from_chars(time.ptr + 1, end, cursor.skip);
      if (skip.ec == std::errc() && skip.ptr == end && cursor.time >= 0) return cursor;
    }
    return fail(ErrorKind::invalid, "this is no place in the timeline", "go back to its beginning", "INVALID_CURSOR");
  }
  std::string text() const { return fmt::format("{}.{}", time, skip); }
};

bool is_root(std::string_view project) {
  return project.starts_with('/') || project.contains("://");
}

bool name_fits(const std::string& wanted, const std::string& name) {
  return wanted.empty() || is_root(wanted) || fold_case(name).contains(fold_case(wanted));
}

TimelineItem to_item(const session::SessionRecord& record) {
  TimelineItem item;
  item.id = record.id;
  item.kind = record.kind;
  item.title = session::shown_title(record);
  item.project_name = record.root_name;
  item.project = record.root_uri;
  item.status = session::shown_status(record);
  item.visibility = record.visibility;
  item.pinned = record.pinned;
  item.damage = record.damage;
  item.time = record.updated_at;
  item.entries = record.entry_count();
  return item;
}

// The store's sessions from a time on, page by page.
class StoreStream {
 public:
  StoreStream(session::Store& store, session::Query query) : store_(store), query_(std::move(query)) {}

  // The next one, left in place; nullptr at the end.
  Result<const TimelineItem*> peek() {
    if (at_ == items_.size() && !over_) HF_CHECK(turn_page());
    return at_ < items_.size() ? &items_[at_] : nullptr;
  }
  void advance() { ++at_; }

 private:
  Result<void> turn_page() {
    HF_TRY(session::Page page, store_.list(query_));
    session::look_for_damage(store_, page.items);
    items_.clear();
    at_ = 0;
    for (const session::SessionRecord& record : page.items) items_.push_back(to_item(record));
    query_.cursor = page.next_cursor;
    over_ = page.next_cursor.empty();
    return {};
  }

  session::Store& store_;
  session::Query query_;
  std::vector<TimelineItem> items_;
  std::size_t at_ = 0;
  bool over_ = false;
};

// Transcripts up to a time. What they are called is only read when somebody looks at them.
class TranscriptStream {
 public:
  TranscriptStream(const transcripts::Homes* homes, transcripts::KeptLines* kept) : homes_(homes), kept_(kept) {}

  Result<void> open(Millis latest, std::optional<Millis> since, Millis now) {
    if (!homes_) return {};
    HF_TRY(auto ours, transcripts::all_sessions(homes_->claude));
    HF_TRY(auto theirs, transcripts::codex_sessions(homes_->codex));
    for (auto& session : ours) found_.push_back({transcripts::AnySession{std::move(session)}});
    for (auto& session : theirs) found_.push_back({transcripts::AnySession{std::move(session)}});
    add_kept();
    std::ranges::sort(
        found_, [](const Found& a, const Found& b) { return a.time() != b.time() ? a.time() > b.time() : a.id() < b.id(); });
    std::set<std::string, std::less<>> seen;  // of one id in several folders the newest counts
    std::erase_if(found_, [&](const Found& found) {
      return !seen.insert(found.id()).second || found.time() > latest || (since && found.time() < *since);
    });
    HF_TRY(activity_, transcripts::Activity::read(homes_->claude, now));
    return {};
  }

  bool over() const { return at_ == found_.size(); }
  Millis time() const { return found_[at_].time(); }
  void advance() { ++at_; }

  // nullopt: gone meanwhile.
  std::optional<TimelineItem> item() const {
    const Found& found = found_[at_];
    auto line = found.kept() ? kept_->line_of(*found.kept()) : homes_->line_of(*found.on_disk());
    if (!line && line.error().kind == ErrorKind::not_found) return std::nullopt;
    TimelineItem item;
    item.id = found.id();
    item.kind = session::kTranscript;
    item.product = found.product();
    item.time = found.time();
    item.bytes = found.size();
    item.status = found.kept() ? "kept" : activity_->of(item.id, item.time).word();
    if (!line && line.error().kind == ErrorKind::corrupt) item.damage = line.error().message;
    if (line) {
      item.title = line->custom_title.empty() ? line->title : line->custom_title;
      if (auto root = canonical_root(line->project_path)) {
        item.project = *root;
        item.project_name = root_display_name(*root);
      }
    }
    if (item.title.empty()) item.title = "untitled transcript";
    return item;
  }

 private:
  // On disk, or in the guard alone.
  struct Found {
    std::variant<transcripts::AnySession, transcripts::KeptSession> session;

    const transcripts::AnySession* on_disk() const { return std::get_if<transcripts::AnySession>(&session); }
    const transcripts::KeptSession* kept() const { return std::get_if<transcripts::KeptSession>(&session); }
    const std::string& id() const { return kept() ? kept()->id : on_disk()->id(); }
    Millis time() const { return kept() ? kept()->transcript.modified_at : on_disk()->mtime(); }
    std::uint64_t size() const { return kept() ? kept()->transcript.size : on_disk()->size(); }
    std::string_view product() const {
      if (on_disk()) return on_disk()->product();
      return kept()->product == transcripts::Product::claude ? "claude" : "codex";
    }
  };

  // A guard that cannot be read hides nothing of what is on the disk.
  void add_kept() {
    if (!kept_) return;
    const auto sessions = kept_->sessions();
    if (!sessions) {
      log(LogLevel::warn, "web", "the timeline lacks what the guard has: " + sessions.error().message);
      return;
    }
    std::set<std::string, std::less<>> there;
    for (const Found& found : found_) there.insert(found.id());
    for (const transcripts::KeptSession& session : **sessions)
      if (!there.contains(session.id)) found_.push_back({session});
  }

  const transcripts::Homes* homes_;
  transcripts::KeptLines* kept_;
  std::vector<Found> found_;
  std::size_t at_ = 0;
  std::optional<transcripts::Activity> activity_;
};

// Also what transcripts can never have: pins and states of the store.
bool wants_transcripts(const TimelineFilter& filter, const std::string& principal) {
  const bool kind = filter.kind.empty() || filter.kind == session::kTranscript;
  const bool status = filter.status.empty() || filter.status == "running" || filter.status == "idle" || filter.status == "kept";
  return kind && status && !filter.pinned && principal == kLocal;
}

bool fits(const TimelineFilter& filter, const std::string& root, const TimelineItem& item) {
  if (!filter.status.empty() && item.status != filter.status) return false;
  if (!root.empty() && item.project != root) return false;
  if (!name_fits(filter.project, item.project_name)) return false;
  return filter.text.empty() || fold_case(item.title + "\n" + item.project_name).contains(fold_case(filter.text));
}

Result<session::Query> to_query(const TimelineFilter& filter, const std::string& principal, const std::string& root,
                                Millis latest) {
  session::Query query;
  query.principal = principal;
  query.limit = kStorePage;
  query.count = false;
  if (!filter.kind.empty()) query.kinds = {filter.kind};
  if (!root.empty()) query.roots = {root};
  if (filter.pinned) query.pinned = true;
  query.text = filter.text;
  query.updated_since = filter.since;
  if (latest != std::numeric_limits<Millis>::max()) query.updated_before = latest + 1;
  if (auto visibility = session::parse_visibility(filter.status); visibility && *visibility != session::Visibility::live)
    query.visibilities = {*visibility};
  else if (!filter.status.empty())
    query.statuses = {filter.status};
  HF_CHECK(session::check_query(query));
  return query;
}

}  // namespace

Result<TimelineSlice> Timeline::read(const TimelineFilter& filter, const std::string& principal,
                                     std::string_view cursor_text) const {
  HF_TRY(const TimelineCursor cursor, TimelineCursor::parse(cursor_text));
  const Millis latest = filter.until ? std::min(cursor.time, *filter.until - 1) : cursor.time;
  std::string root;
  if (is_root(filter.project)) {
    HF_TRY(root, canonical_root(filter.project));
  }
  HF_TRY(session::Query query, to_query(filter, principal, root, latest));
  StoreStream stored(store_, std::move(query));
  TranscriptStream files(wants_transcripts(filter, principal) ? homes_ : nullptr, kept_.get());
  HF_CHECK(files.open(latest, filter.since, filter.now));

  TimelineSlice slice;
  TimelineCursor end{cursor.time, 0};
  for (std::size_t looked_at = 0;; ++looked_at) {
    HF_TRY(const TimelineItem* record, stored.peek());
    if (!record && files.over()) return slice;
    const bool is_file = !record || (!files.over() && files.time() > record->time);
    const Millis time = is_file ? files.time() : record->time;
    if (slice.items.size() == kPageItems || looked_at == kMaxLookedAt) {
      slice.next = end.text();
      return slice;
    }
    end.skip = time == end.time ? end.skip + 1 : 1;
    end.time = time;
    const bool seen_before = time == cursor.time && end.skip <= cursor.skip;
    if (is_file && !seen_before) {
      if (auto item = files.item(); item && fits(filter, root, *item)) slice.items.push_back(std::move(*item));
    } else if (!is_file && !seen_before && name_fits(filter.project, record->project_name)) {
      slice.items.push_back(*record);
    }
    if (is_file)
      files.advance();
    else
      stored.advance();
  }
}

}  // namespace holdfast::web
