#include "tools/list_filters.h"

#include "session/kinds.h"
#include "tools/session_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace holdfast::tools {

namespace {

constexpr std::array<std::string_view, 4> kThreadKinds = {"chat", "thinkdeep", "ideate", "consensus"};
constexpr std::string_view kCompleted = "completed", kCorrupt = "corrupt";
constexpr std::array<std::string_view, 5> kThreadStatuses = {"created", "active", "archived", "deleted", kCorrupt};
constexpr std::array<std::string_view, 4> kNotCompleted = {"started", "in_progress", "failed", "cancelled"};

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

// A list that can only hold one kind knows its words: one that none of them can have would silently be an empty list.
Result<void> check_statuses(const session::Query& query) {
  if (query.kinds.size() != 1) return {};
  std::vector<std::string_view> allowed;
  if (query.kinds.front() == session::kThread) allowed.assign(kThreadStatuses.begin(), kThreadStatuses.end());
  if (query.kinds.front() == session::kResearch) {
    allowed.assign(kNotCompleted.begin(), kNotCompleted.end());
    allowed.push_back(kCompleted);
    allowed.push_back(kCorrupt);
  }
  if (allowed.empty()) return {};
  for (const std::string& status : query.statuses)
    if (std::ranges::find(allowed, status) == allowed.end())
      return bad_filter(fmt::format("status: a {} is never {}", query.kinds.front(), status),
                        fmt::format("use {}", fmt::join(allowed, ", ")));
  return {};
}

JsonObject texts(std::string_view description) {
  return {{"type", JsonArray{"string", "array"}}, {"items", JsonObject{{"type", "string"}}}, {"description", description}};
}

}  // namespace

Result<session::Query> read_filters(const JsonObject& arguments) {
  session::Query query;
  HF_TRY(query.kinds, kinds_of(arguments));
  HF_TRY(query.visibilities, visibilities_of(arguments));
  query.statuses = texts_of(arguments, "status");
  HF_CHECK(take_thread_kinds(arguments, query));
  HF_CHECK(check_statuses(query));
  HF_CHECK(take_completed(arguments, query));
  query.tags = texts_of(arguments, "tags");
  query.pinned = find_bool(arguments, "pinned");
  if (auto project = find_string(arguments, "project")) query.project = *project;
  query.text = find_string(arguments, "q").value_or("");
  HF_TRY(query.updated_since, time_of(arguments, "updated_since"));
  HF_TRY(query.updated_before, time_of(arguments, "updated_before"));
  const auto sort = find_string(arguments, "sort");
  if (sort == "created_at") query.sort = session::Sort::created;
  if (sort == "due_at") query.sort = session::Sort::due;
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
          {"updated_since", JsonObject{{"type", "string"}, {"description", "ISO 8601"}}},
          {"updated_before", JsonObject{{"type", "string"}}},
          {"sort", JsonObject{{"type", "string"}, {"enum", JsonArray{"updated_at", "created_at", "due_at"}}}},
          {"limit", JsonObject{{"type", "integer"}, {"minimum", 1}}},
          {"offset", JsonObject{{"type", "integer"}, {"minimum", 0}}},
          {"cursor", JsonObject{{"type", "string"}, {"description", "next_cursor of the page before"}}}};
}

}  // namespace holdfast::tools
