#include "tools/session/list_filters.h"

#include "base/run/when.h"
#include "session/kinds.h"
#include "tools/session/session_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace holdfast::tools {

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
Result<void> take_completed(const JsonObject& arguments, session::Query& query) {
  const std::optional<bool> completed = find_bool(arguments, "completed");
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

Result<void> take_thread_kinds(const JsonObject& arguments, session::Query& query) {
  query.aspects = texts_of(arguments, "kind");
  if (query.aspects.empty()) return {};
  for (const std::string& kind : query.aspects)
    if (std::ranges::find(kThreadKinds, kind) == kThreadKinds.end())
      return bad_filter(fmt::format("kind: there are no threads called {}", kind),
                        fmt::format("use {}; kinds of session are `type`", fmt::join(kThreadKinds, ", ")));
  if (!may_hold(query, session::kThread) || find_bool(arguments, "completed"))
    return bad_filter("kind is about threads, and no thread can be in this list", "use type threads, without completed");
  query.kinds = {std::string(session::kThread)};
  return {};
}

Result<session::Sort> sort_of(const JsonObject& arguments) {
  const std::string_view name = find_string(arguments, "sort").value_or("updated_at");
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

std::string age_in(const JsonObject& arguments, std::string_view key) {
  const std::string_view text = find_string(arguments, key).value_or("");
  return is_age(text) ? std::string(text) : std::string();
}

JsonObject texts(std::string_view description) {
  return {{"type", JsonArray{"string", "array"}}, {"items", JsonObject{{"type", "string"}}}, {"description", description}};
}

}  // namespace

Result<session::Query> read_filters(const JsonObject& arguments, Millis now) {
  session::Query query;
  HF_TRY(query.kinds, kinds_of(arguments));
  HF_TRY(query.visibilities, visibilities_of(arguments));
  query.statuses = texts_of(arguments, "status");
  HF_CHECK(check_statuses(query));
  HF_CHECK(take_thread_kinds(arguments, query));
  HF_CHECK(take_completed(arguments, query));
  query.tags = texts_of(arguments, "tags");
  query.pinned = find_bool(arguments, "pinned");
  if (auto project = find_string(arguments, "project")) query.project = *project;
  query.text = find_string(arguments, "q").value_or("");
  HF_TRY(query.updated_since, time_of(arguments, "updated_since", now));
  HF_TRY(query.updated_before, time_of(arguments, "updated_before", now));
  query.since_age = age_in(arguments, "updated_since");
  query.before_age = age_in(arguments, "updated_before");
  HF_TRY(query.sort, sort_of(arguments));
  query.cursor = find_string(arguments, "cursor").value_or("");
  query.offset = static_cast<std::size_t>(std::max<std::int64_t>(0, find_int(arguments, "offset").value_or(0)));
  return query;
}

JsonObject filter_arguments() {
  return {{"type", texts("kind of session, or all")},
          {"completed", JsonObject{{"type", "boolean"}, {"description", "list: research that is completed, or is not"}}},
          {"kind", texts("list: chat, thinkdeep, ideate or consensus")},
          {"q", JsonObject{{"type", "string"}, {"description", "list: part of title, description, opening or tags"}}},
          {"status", texts("list: only these")},
          {"visibility", texts("live, archived, deleted; default live and archived")},
          {"tags", texts("list: all of them; update: replaces the tags")},
          {"pinned", JsonObject{{"type", "boolean"}}},
          {"project", JsonObject{{"type", "string"}}},
          {"updated_since", JsonObject{{"type", "string"}, {"description", "3d, 2026-07-01 or ISO 8601"}}},
          {"updated_before", JsonObject{{"type", "string"}}},
          {"sort", JsonObject{{"type", "string"}, {"enum", JsonArray{"updated_at", "created_at", "due_at"}}}},
          {"limit", JsonObject{{"type", "integer"}, {"minimum", 1}}},
          {"offset", JsonObject{{"type", "integer"}, {"minimum", 0}}},
          {"cursor", JsonObject{{"type", "string"}, {"description", "next_cursor of the page before"}}}};
}

}  // namespace holdfast::tools
