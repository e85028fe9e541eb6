#include "operations/sessions/list_filters.h"

#include "base/run/when.h"
#include "session/kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace holdfast::operations {

namespace {

constexpr std::array<std::string_view, 4> kThreadKinds = {"chat", "thinkdeep", "ideate", "consensus"};
constexpr std::string_view kCompleted = "completed";
constexpr std::array<std::string_view, 4> kNotCompleted = {"started", "in_progress", "failed", "cancelled"};

// The words of each kind (design §1), beside those for what was put aside.
struct KindStatuses {
  std::string_view kind;
  std::array<std::string_view, 5> statuses;
};
constexpr std::array kStatuses = {
    KindStatuses{session::kReasoning, {"active", "completed", "abandoned"}},
    KindStatuses{session::kThread, {"created", "active"}},
    KindStatuses{session::kResearch, {"started", "in_progress", "completed", "failed", "cancelled"}},
    KindStatuses{session::kDocument, {"open", "ended", "expired"}},
    KindStatuses{session::kRun, {"running", "completed", "failed", "cancelled"}},
    KindStatuses{session::kTranscript, {"running", "idle", "kept"}},
};
constexpr std::array<std::string_view, 3> kOfEveryKind = {"archived", "deleted", "corrupt"};

std::unexpected<Error> bad_filter(std::string message, std::string hint = {}) {
  return fail(ErrorKind::invalid, std::move(message), std::move(hint), "INVALID_FILTER");
}

bool may_hold(const session::Query& query, std::string_view kind) {
  return query.kinds.empty() || std::ranges::find(query.kinds, kind) != query.kinds.end();
}

// Only research is ever completed in this sense, so the others leave the list.
Result<void> take_completed(const Given& given, session::Query& query) {
  const std::optional<bool> completed = given.choice("completed");
  if (!completed) return {};
  if (!may_hold(query, session::kResearch))
    return bad_filter(fmt::format("completed: a {} is never completed", fmt::join(query.kinds, " or ")), "use type research");
  query.kinds = {std::string(session::kResearch)};
  std::vector<std::string> wanted;
  if (*completed)
    wanted = {std::string(kCompleted)};
  else
    wanted.assign(kNotCompleted.begin(), kNotCompleted.end());
  if (query.statuses.empty()) {
    query.statuses = std::move(wanted);
    return {};
  }
  std::erase_if(query.statuses, [&](const std::string& status) { return std::ranges::find(wanted, status) == wanted.end(); });
  if (query.statuses.empty()) return bad_filter("status and completed contradict each other", "leave one of them out");
  return {};
}

Result<void> take_thread_kinds(const Given& given, session::Query& query) {
  query.aspects = given.texts("kind");
  if (query.aspects.empty()) return {};
  for (const std::string& kind : query.aspects)
    if (std::ranges::find(kThreadKinds, kind) == kThreadKinds.end())
      return bad_filter(fmt::format("kind: there are no threads called {}", kind),
                        fmt::format("use {}; kinds of session are `type`", fmt::join(kThreadKinds, ", ")));
  if (!may_hold(query, session::kThread) || given.choice("completed"))
    return bad_filter("kind is about threads, and no thread can be in this list", "use type threads, without completed");
  query.kinds = {std::string(session::kThread)};
  return {};
}

Result<session::Sort> sort_of(const Given& given) {
  const std::string name = given.has("sort") ? given.text("sort") : "updated_at";
  if (name == "updated_at") return session::Sort::updated;
  if (name == "created_at") return session::Sort::created;
  if (name == "due_at") return session::Sort::due;
  return bad_filter(fmt::format("sort: {} is not an order", name), "use updated_at, created_at or due_at");
}

// A word that no session of these kinds can have is a slip, not an empty list.
Result<void> check_statuses(const session::Query& query) {
  std::vector<std::string_view> known(kOfEveryKind.begin(), kOfEveryKind.end());
  for (const KindStatuses& row : kStatuses)
    if (may_hold(query, row.kind)) known.insert(known.end(), row.statuses.begin(), row.statuses.end());
  std::erase(known, "");  // rows are not all full
  std::ranges::sort(known);
  known.erase(std::ranges::unique(known).begin(), known.end());
  for (const std::string& status : query.statuses)
    if (!std::ranges::binary_search(known, status))
      return bad_filter(fmt::format("status: nothing in this list is ever {}", status),
                        fmt::format("use {}", fmt::join(known, ", ")));
  return {};
}

std::string age_in(const Given& given, std::string_view key) {
  const std::string text = given.text(key);
  return is_age(text) ? text : std::string();
}

std::string_view singular(std::string_view name) {
  for (std::string_view kind : session::kKinds)
    if (name == kind || (name.size() == kind.size() + 1 && name.starts_with(kind) && name.ends_with('s'))) return kind;
  return {};
}

}  // namespace

Result<std::optional<Millis>> time_of(const Given& given, std::string_view key, Millis now) {
  if (!given.has(key)) return std::nullopt;
  auto time = parse_when(given.text(key), now);
  if (!time) return fail(std::move(time).error().within(key));
  return *time;
}

Result<std::size_t> limit_of(const Given& given, std::int64_t fallback, std::int64_t highest) {
  const std::int64_t limit = given.number("limit", fallback);
  if (limit < 1 || limit > highest)
    return fail(ErrorKind::invalid, fmt::format("limit must be from 1 to {}, not {}", highest, limit),
                "ask for the rest in further calls", "invalid_argument");
  return static_cast<std::size_t>(limit);
}

Result<std::vector<std::string>> kinds_of(const Given& given) {
  std::vector<std::string> kinds;
  for (const std::string& name : given.texts("type")) {
    if (name == "all") return std::vector<std::string>{};
    const std::string_view kind = singular(name);
    if (kind.empty())
      return fail(ErrorKind::invalid, fmt::format("type: there is no kind of session called {}", name),
                  fmt::format("use all or one of {}", fmt::join(session::kKinds, ", ")), "invalid_argument");
    kinds.emplace_back(kind);
  }
  if (!kinds.empty()) return kinds;
  for (std::string_view kind : session::kKinds)
    if (kind != session::kTranscript) kinds.emplace_back(kind);
  return kinds;
}

Result<std::vector<session::Visibility>> visibilities_of(const Given& given) {
  std::vector<session::Visibility> visibilities;
  for (const std::string& name : given.texts("visibility")) {
    auto visibility = session::parse_visibility(name);
    if (!visibility)
      return fail(ErrorKind::invalid, fmt::format("visibility: {} is not one", name), "use live, archived or deleted",
                  "invalid_argument");
    visibilities.push_back(*visibility);
  }
  // Deleted ones are listed only when asked for, and as a status they are asked for, too (design 8.6).
  const std::vector<std::string> statuses = given.texts("status");
  if (visibilities.empty() && std::ranges::find(statuses, name_of(session::Visibility::deleted)) != statuses.end())
    visibilities = {session::Visibility::live, session::Visibility::archived, session::Visibility::deleted};
  return visibilities;
}

Result<session::Query> read_filters(const Given& given, Millis now) {
  session::Query query;
  HF_TRY(query.kinds, kinds_of(given));
  HF_TRY(query.visibilities, visibilities_of(given));
  query.statuses = given.texts("status");
  HF_CHECK(check_statuses(query));
  HF_CHECK(take_thread_kinds(given, query));
  HF_CHECK(take_completed(given, query));
  query.tags = given.texts("tags");
  query.pinned = given.choice("pinned");
  if (given.has("project")) query.project = given.text("project");
  query.text = given.text("q");
  HF_TRY(query.updated_since, time_of(given, "updated_since", now));
  HF_TRY(query.updated_before, time_of(given, "updated_before", now));
  query.since_age = age_in(given, "updated_since");
  query.before_age = age_in(given, "updated_before");
  HF_TRY(query.sort, sort_of(given));
  query.cursor = given.text("cursor");
  query.offset = static_cast<std::size_t>(given.number("offset", 0));
  return query;
}

}  // namespace holdfast::operations
