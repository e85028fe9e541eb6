// list and pick: which sessions there are.

#include "session/kinds.h"
#include "tools/session/core_operations.h"
#include "tools/session/list_filters.h"
#include "tools/session/session_arguments.h"

#include <algorithm>

namespace holdfast::tools {

namespace {

constexpr std::int64_t kReasoningListLimit = 10;  // reasoning-sessions §6
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
  if (!call.call.caller().can_elicit_form()) return answer_list(call);
  HF_TRY(std::optional<session::Query> query, read_query(call));
  if (!query) return SessionAnswer{{}, {}, true};
  query->limit = std::min(query->limit, kOffered);
  HF_TRY(const session::Page page, call.store.list(*query));
  const mcp::Answer* answer =
      call.call.ask("pick", mcp::Question::form("Which session do you want to go on with?", choices_of(page.items, call)));
  if (!answer) return SessionAnswer{{}, {}, true};
  if (answer->failure && answer->failure->kind != ErrorKind::timeout) return answer_list(call);
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

Result<SessionAnswer> answer_list(SessionCall& call) {
  HF_TRY(std::optional<session::Query> query, read_query(call));
  if (!query) return SessionAnswer{{}, {}, true};
  HF_TRY(const catalogue::Page page, catalogue::list(call.asker(), {*std::move(query)}));
  JsonArray sessions;
  for (const catalogue::Listed& each : page.items) sessions.push_back(call.operations.item(each.record, call.now));
  const std::size_t count = sessions.size();
  JsonObject state{
      {"sessions", std::move(sessions)}, {"count", count}, {"total", page.total}, {"hasMore", !page.next_cursor.empty()}};
  if (!page.next_cursor.empty()) state["next_cursor"] = page.next_cursor;
  if (!page.unread.empty()) state["warnings"] = to_json_array(page.warnings());
  return SessionAnswer{std::move(state), {}, false};
}

void add_list_operations(SessionOperations& operations) {
  operations.add({"list", {}, SessionOperation::Session::none, answer_list});
  operations.add({"pick", {}, SessionOperation::Session::none, pick});
  for (const auto& argument : filter_arguments())
    operations.add_argument(std::string(argument.key()), argument.value().as_object());
  operations.add_argument("root", {{"type", "string"}, {"description", "project root, a file URI or absolute path"}});
  operations.add_argument("allRoots", {{"type", "boolean"}, {"description", "not only the current project"}});
}

}  // namespace holdfast::tools
