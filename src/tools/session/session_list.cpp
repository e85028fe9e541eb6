// list and pick: which sessions there are.

#include "session/kinds.h"
#include "session/query/known_damage.h"
#include "tools/session/core_operations.h"
#include "tools/session/list_filters.h"
#include "tools/session/session_arguments.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::tools {

namespace {

constexpr std::int64_t kReasoningListLimit = 10;  // reasoning-sessions §6
constexpr std::size_t kMaxTogether = 1000;        // of all kinds at once: every page reads all before it
constexpr std::size_t kOffered = 10;              // threads-and-research §8
constexpr std::string_view kNew = "new", kCancel = "cancel";

// nullopt: the client was asked for its roots.
Result<std::optional<session::Query>> read_query(SessionCall& call) {
  HF_TRY(session::Query query, read_filters(call.arguments(), call.now));
  query.principal = call.principal();
  HF_TRY(const bool rooted, limit_to_root(call, query));
  if (!rooted) return std::nullopt;
  const bool thoughts_only = query.kinds == std::vector{std::string(session::kReasoning)};
  HF_TRY(query.limit, limit_of(call.arguments(), thoughts_only ? kReasoningListLimit : kListLimit, kMaxList));
  return query;
}

// Of every kind, those of other programs too: the newest of both, put together. Their pages have no cursor in common, so the
// way on is `offset`.
Result<SessionAnswer> list_all_kinds(SessionCall& call, session::Query query) {
  if (!query.cursor.empty())
    return fail(ErrorKind::invalid, "type all has no cursor", "use offset, or list one kind", "invalid_argument");
  const std::size_t offset = query.offset, limit = query.limit;
  query.offset = 0;
  query.limit = offset + limit;
  if (query.limit > kMaxTogether)
    return fail(ErrorKind::invalid, fmt::format("type all ends after {} sessions", kMaxTogether), "list one kind",
                "invalid_argument");
  HF_TRY(session::Page page, call.store.list(query));
  std::int64_t total = page.total;
  for (const OutsideKind& outside : call.operations.outside()) {
    HF_TRY(OutsideKind::List others, outside.list(call, query.limit));
    total += others.total;
    for (session::SessionRecord& record : others.records) page.items.push_back(std::move(record));
  }
  std::sort(page.items.begin(), page.items.end(),
            [](const session::SessionRecord& a, const session::SessionRecord& b) { return a.updated_at > b.updated_at; });
  page.items.erase(page.items.begin(), page.items.begin() + static_cast<std::ptrdiff_t>(std::min(offset, page.items.size())));
  if (page.items.size() > limit) page.items.resize(limit);
  session::look_for_damage(call.store, page.items);
  JsonArray sessions;
  for (const session::SessionRecord& record : page.items) sessions.push_back(call.operations.item(record, call.now));
  const std::size_t count = sessions.size();
  const bool more = static_cast<std::int64_t>(offset + count) < total;
  return SessionAnswer{{{"sessions", std::move(sessions)}, {"count", count}, {"total", total}, {"hasMore", more}}, {}, false};
}

Result<SessionAnswer> show_list(SessionCall& call) {
  HF_TRY(std::optional<session::Query> query, read_query(call));
  if (!query) return SessionAnswer{{}, {}, true};
  if (query->kinds.empty() && !call.operations.outside().empty()) return list_all_kinds(call, std::move(*query));
  HF_TRY(session::Page page, call.store.list(*query));
  session::look_for_damage(call.store, page.items);
  JsonArray sessions;
  for (const session::SessionRecord& record : page.items) sessions.push_back(call.operations.item(record, call.now));
  const std::size_t count = sessions.size();
  JsonObject state{
      {"sessions", std::move(sessions)}, {"count", count}, {"total", page.total}, {"hasMore", !page.next_cursor.empty()}};
  if (!page.next_cursor.empty()) state["next_cursor"] = page.next_cursor;
  return SessionAnswer{std::move(state), {}, false};
}

JsonObject choices_of(const std::vector<session::SessionRecord>& records, const SessionCall& call) {
  JsonArray choices;
  for (const session::SessionRecord& record : records)
    choices.push_back(JsonObject{{"const", record.id}, {"title", *find(call.operations.item(record, call.now), "display")}});
  choices.push_back(JsonObject{{"const", kNew}, {"title", "Start a new one"}});
  choices.push_back(JsonObject{{"const", kCancel}, {"title", "Cancel"}});
  const JsonObject session{{"type", "string"}, {"title", "Session"}, {"oneOf", std::move(choices)}};
  return {{"type", "object"}, {"properties", JsonObject{{"session", session}}}, {"required", JsonArray{"session"}}};
}

// Lets the user choose; a client that cannot show a form gets the list.
Result<SessionAnswer> pick(SessionCall& call) {
  if (!call.call.caller().can_elicit_form()) return show_list(call);
  HF_TRY(std::optional<session::Query> query, read_query(call));
  if (!query) return SessionAnswer{{}, {}, true};
  query->limit = std::min(query->limit, kOffered);
  HF_TRY(const session::Page page, call.store.list(*query));
  const mcp::Answer* answer =
      call.call.ask("pick", mcp::Question::form("Which session do you want to go on with?", choices_of(page.items, call)));
  if (!answer) return SessionAnswer{{}, {}, true};
  if (answer->failure && answer->failure->kind != ErrorKind::timeout) return show_list(call);
  const auto ended = [](std::string_view outcome) { return SessionAnswer{{{"outcome", outcome}}, {}, false}; };
  if (answer->failure) return ended("timeout");
  const JsonObject* content = answer->content();
  if (!content) return ended(find_string(answer->result, "action") == "decline" ? "declined" : "cancelled");
  const std::string chosen(find_string(*content, "session").value_or(kCancel));
  if (chosen == kCancel) return ended("cancelled");
  if (chosen == kNew) return ended("new");
  // The form took this id from a list that may have changed since; what is there now counts.
  HF_TRY(const session::SessionRecord record, call.store.get(chosen));
  if (record.principal != call.principal()) return ended("cancelled");
  return SessionAnswer{
      {{"outcome", "picked"}, {"sessionId", record.id}, {"session", call.operations.item(record, call.now)}}, {}, false};
}

}  // namespace

void add_list_operations(SessionOperations& operations) {
  operations.add({"list", {}, SessionOperation::Session::none, show_list});
  operations.add({"pick", {}, SessionOperation::Session::none, pick});
  for (const auto& argument : filter_arguments())
    operations.add_argument(std::string(argument.key()), argument.value().as_object());
  operations.add_argument("root", {{"type", "string"}, {"description", "project root, a file URI or absolute path"}});
  operations.add_argument("allRoots", {{"type", "boolean"}, {"description", "not only the current project"}});
}

}  // namespace holdfast::tools
