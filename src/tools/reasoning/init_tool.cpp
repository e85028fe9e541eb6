// The init tool: where am I, what was I doing, go on or begin.
//
// Whoever calls has perhaps lost everything but its project, and models mix up its arguments, so a call goes this way:
// 1. normalise, on the I/O thread: names and nested objects get the spelling of the schema, texts become numbers; what the schema
//    does not know is put aside, to be reported as ignoredFields and not refused;
// 2. the operation is looked up; without one it is get_state, so that a call without arguments tells where the caller is;
// 3. the situation is found out: which connection this is and what is stored about it, which project it is about. That may put a
//    question to the client: the call then waits, and all of it runs again, so nothing before this changes anything;
// 4. load_context takes the session that is named, else the project's most recent that nobody else works in, makes it the
//    connection's own, so that the next thought goes there, and returns its last thoughts and the alternatives; start_new begins
//    one; list_sessions and navigate look around; list_roots and bind_root settle which of the client's projects it is about;
// 5. get_state never fails: what cannot be found out is left out and said as a notice. A project without sessions is no mistake
//    either: there is nothing to load, and that is the answer.

#include "base/text/uri.h"
#include "session/kinds.h"
#include "session/query/display.h"
#include "session/query/known_damage.h"
#include "tools/argument_schema.h"
#include "tools/argument_spelling.h"
#include "tools/call_scopes.h"
#include "tools/caller_connection.h"
#include "tools/reasoning/reasoning_results.h"
#include "tools/reasoning/reasoning_tools.h"
#include "tools/session/list_filters.h"
#include "tools/session/session_arguments.h"
#include "tools/tool_answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace holdfast::tools {

namespace {

using reasoning::Connection;
using reasoning::Situation;

const Aliases kInitAliases = {{"action", "operation"}, {"id", "sessionId"}, {"mcpRootUri", "root"}};
constexpr std::size_t kRecoverable = 5;

struct Answered {
  JsonObject state;
  std::string summary;
  bool input_required = false;
};

JsonArray summaries(const std::vector<session::SessionRecord>& records, Millis now) {
  JsonArray out;
  for (const session::SessionRecord& record : records) out.push_back(session_summary(record, now));
  return out;
}

void add_roots(JsonObject& state, const Situation& situation, const std::string& source) {
  state["root"] = situation.roots.empty() ? Json(nullptr) : Json(situation.roots.front());
  state["rootSource"] = source.empty() ? "none" : source;
  if (situation.roots.size() > 1) {
    JsonArray all;
    for (const std::string& root : situation.roots) all.emplace_back(root);
    state["roots"] = std::move(all);
  }
}

// Never fails: what cannot be found out is left out and said in `notice`.
Result<Answered> get_state(const ReasoningCaller& caller, mcp::Call& call) {
  session::StoreView store = caller.store_of(call);
  auto resolved = caller.situate(call, true);
  std::string problem;
  if (!resolved) {
    problem = resolved.error().message;
    resolved = caller.situate(call, false);
  }
  HF_TRY(auto situated, std::move(resolved));
  if (situated.input_required) return Answered{{}, {}, true};
  if (!problem.empty()) situated.notice = problem;
  const Situation& situation = situated.situation;
  const Connection& connection = situation.connection;
  Answered answered;
  add_roots(answered.state, situation, situated.root_source);
  if (!connection.bound_root.empty()) answered.state["boundRoot"] = connection.bound_root;
  if (!connection.active_session.empty())
    if (auto active = store.get(connection.active_session))
      answered.state["activeSession"] = session_summary(*active, caller.now());
  JsonArray recoverable;
  if (!situation.roots.empty())
    if (auto page = reasoning::recoverable(store, situation, {}, kRecoverable))
      recoverable = summaries(page->items, caller.now());
  answered.state["recoverable"] = std::move(recoverable);
  if (!connection.position_project.empty()) answered.state["project"] = connection.position_project;
  if (!connection.position_task.empty()) answered.state["task"] = connection.position_task;
  if (!connection.position_aspect.empty()) answered.state["aspect"] = connection.position_aspect;
  if (!situated.notice.empty()) answered.state["notice"] = situated.notice;
  return answered;
}

Result<Answered> list_roots(const ReasoningCaller& caller, mcp::Call& call) {
  session::StoreView store = caller.store_of(call);
  HF_TRY(Connection connection, connection_of(call.caller(), store, caller.root().owner()));
  HF_TRY(OfferedRoots offer, caller.root().offered(call, connection));
  if (offer.input_required) return Answered{{}, {}, true};
  JsonArray roots;
  for (const reasoning::OfferedRoot& root : offer.roots)
    roots.push_back(JsonObject{{"uri", root.uri}, {"name", root.name}, {"isBound", root.uri == connection.bound_root}});
  Answered answered{{{"available", offer.available}, {"roots", std::move(roots)}}, {}, false};
  if (!connection.bound_root.empty()) answered.state["boundRoot"] = connection.bound_root;
  if (!offer.notice.empty()) answered.state["notice"] = offer.notice;
  return answered;
}

Result<Answered> bind_root(const ReasoningCaller& caller, mcp::Call& call) {
  session::StoreView store = caller.store_of(call);
  auto given = find_string(call.arguments(), "rootUri");
  if (!given) given = find_string(call.arguments(), "root");
  if (!given) return fail(ErrorKind::invalid, "rootUri is required", "a file URI or an absolute path", "invalid_argument");
  auto root = canonical_root(*given);
  if (!root) return fail(std::move(root).error().within("rootUri"));
  HF_TRY(Connection connection, connection_of(call.caller(), store, caller.root().owner()));
  if (connection.id.empty())
    return fail(ErrorKind::refused, "this protocol version has no connection to bind a root to",
                "give root with every call, or start the server with --root", "no_connection");
  HF_TRY(OfferedRoots offer, caller.root().offered(call, connection));
  if (offer.input_required) return Answered{{}, {}, true};
  const auto is_it = [&](const reasoning::OfferedRoot& each) { return each.uri == *root; };
  if (offer.available && !offer.roots.empty() && std::ranges::none_of(offer.roots, is_it)) {
    std::vector<std::string> uris;
    for (const reasoning::OfferedRoot& each : offer.roots) uris.push_back(each.uri);
    return fail(ErrorKind::invalid, fmt::format("the client does not offer {}", *root),
                fmt::format("it offers: {}", fmt::join(uris, ", ")), "root_not_offered");
  }
  connection.bound_root = *root;
  HF_CHECK(store.write([&](session::Transaction& transaction) { return reasoning::save_connection(transaction, connection); }));
  return Answered{{{"success", true}, {"boundRoot", *root}}, {}, false};
}

Result<Answered> start_new(const ReasoningCaller& caller, mcp::Call& call) {
  session::StoreView store = caller.store_of(call);
  HF_TRY(auto situated, caller.situate(call, true));
  if (situated.input_required) return Answered{{}, {}, true};
  const JsonObject& arguments = call.arguments();
  const auto text = [&](std::string_view key) { return std::string(find_string(arguments, key).value_or("")); };
  reasoning::NewSession wanted;
  wanted.title = text("title");
  wanted.description = text("description");
  wanted.project = text("project");
  wanted.task = text("task");
  wanted.aspect = text("aspect");
  wanted.domain = text("domain");
  wanted.tags = texts_of(arguments, "tags");
  HF_TRY(reasoning::Started started, reasoning::start_session(store, wanted, situated.situation));
  Answered answered{
      {{"sessionId", started.record.id}, {"nextThoughtNumber", 1}, {"root", text_or_null(started.record.root_uri)}}, {}, false};
  if (!started.previous_session.empty()) answered.state["previousSessionId"] = started.previous_session;
  answered.state["related"] = JsonObject{{"projectCount", started.related.project_count},
                                         {"taskCount", started.related.task_count},
                                         {"aspectCount", started.related.aspect_count},
                                         {"sessions", summaries(started.related.sessions, caller.now())}};
  if (!situated.situation.has_connection())
    started.notices.emplace_back(
        "this protocol version has no connections: give sessionId with every thought, or leave it out to find the project's "
        "session");
  if (!situated.notice.empty()) started.notices.push_back(situated.notice);
  if (!started.notices.empty()) answered.state["notice"] = fmt::format("{}", fmt::join(started.notices, "; "));
  return answered;
}

// A new project has nothing to load, and that is no mistake of whoever asks.
Answered nothing_yet(const Error& none) {
  JsonObject state{{"sessionId", nullptr},   {"autoRecovered", false},        {"thoughtCount", 0},           {"totalCount", 0},
                   {"nextThoughtNumber", 1}, {"recentThoughts", JsonArray{}}, {"alternatives", JsonArray{}}, {"hint", none.hint}};
  return Answered{std::move(state), fmt::format("{}: {}", none.message, none.hint), false};
}

Result<Answered> load_context(const ReasoningCaller& caller, mcp::Call& call) {
  session::StoreView store = caller.store_of(call);
  HF_TRY(auto situated, caller.situate(call, true, true));
  if (situated.input_required) return Answered{{}, {}, true};
  reasoning::LoadRequest request;
  if (auto id = find_string(call.arguments(), "sessionId"); id && !id->empty()) request.session_id = std::string(*id);
  request.tags = texts_of(call.arguments(), "tags");
  request.recent = find_int(call.arguments(), "recent").value_or(request.recent);
  auto found = reasoning::load_session(store, request, situated.situation);
  if (!found && found.error().code == reasoning::kNoSessions) {
    Answered answered = nothing_yet(found.error());
    answered.state["root"] = text_or_null(situated.situation.roots.front());
    if (!situated.notice.empty()) answered.state["notice"] = situated.notice;
    return answered;
  }
  HF_TRY(reasoning::Loaded loaded, std::move(found));
  session::add_known_damage(store, loaded.record);
  Answered answered{loaded_state(loaded, find_int(call.arguments(), "maxChars"), caller.now()), loaded_line(loaded, caller.now()),
                    false};
  if (!situated.notice.empty()) {
    const std::string own(find_string(answered.state, "notice").value_or(""));
    answered.state["notice"] = own.empty() ? situated.notice : fmt::format("{}; {}", situated.notice, own);
  }
  return answered;
}

JsonObject target_properties() {
  return {{"project", argument::text()}, {"task", argument::text()}, {"aspect", argument::text()}};
}

JsonObject filter_properties() {
  JsonObject all = target_properties();
  for (const char* name : {"root", "status", "search", "visibility"}) all[name] = JsonObject{};
  all["allRoots"] = argument::flag();
  all["tags"] = JsonObject{};
  return all;
}

// The fields of a nested object, or the same beside the operation: callers mix them up (reasoning-sessions §2).
JsonObject nested_or_flat(const JsonObject& arguments, std::string_view nested, const JsonObject& properties) {
  JsonObject fields;
  if (const JsonObject* given = find_object(arguments, nested)) fields = *given;
  for (const auto& property : properties)
    if (const Json* flat = find(arguments, property.key()); flat && !fields.contains(property.key()))
      fields[property.key()] = *flat;
  return fields;
}

Result<Answered> list_sessions(const ReasoningCaller& caller, mcp::Call& call) {
  session::StoreView store = caller.store_of(call);
  const JsonObject given = nested_or_flat(call.arguments(), "filters", filter_properties());
  const JsonObject* filters = &given;
  session::Query query;
  query.kinds = {std::string(session::kReasoning)};
  query.principal = call.caller().principal;
  if (!find_bool(*filters, "allRoots").value_or(false)) {
    if (auto root = find_string(*filters, "root")) {
      HF_TRY(std::string canonical, canonical_root(*root));
      query.roots = {std::move(canonical)};
    } else {
      HF_TRY(ResolvedRoots resolved, caller.root().resolve(call));
      if (resolved.input_required) return Answered{{}, {}, true};
      query.roots = std::move(resolved.roots);
      query.rootless = !query.roots.empty();
    }
  }
  for (auto [name, field] :
       {std::pair("project", &query.project), std::pair("task", &query.task), std::pair("aspect", &query.aspect)})
    if (auto value = find_string(*filters, name)) *field = std::string(*value);
  query.tags = texts_of(*filters, "tags");
  query.statuses = texts_of(*filters, "status");
  HF_TRY(query.visibilities, visibilities_of(*filters));
  query.text = find_string(*filters, "search").value_or("");
  HF_TRY(query.limit, limit_of(call.arguments(), kListLimit, kMaxList));
  const std::int64_t offset = find_int(call.arguments(), "offset").value_or(0);
  if (offset < 0) return fail(ErrorKind::invalid, "offset must not be negative", {}, "invalid_argument");
  query.offset = static_cast<std::size_t>(offset);
  HF_TRY(session::Page page, store.list(query));
  session::look_for_damage(store, page.items);
  const std::size_t count = page.items.size();
  return Answered{{{"sessions", summaries(page.items, caller.now())},
                   {"count", count},
                   {"total", page.total},
                   {"hasMore", offset + static_cast<std::int64_t>(count) < page.total}},
                  {},
                  false};
}

// Is there a session with these labels?
Result<bool> exists(const ReasoningCaller& caller, const mcp::Call& call, const std::string& project, const std::string& task) {
  session::StoreView store = caller.store_of(call);
  session::Query query;
  query.kinds = {std::string(session::kReasoning)};
  query.principal = call.caller().principal;
  if (!project.empty()) query.project = project;
  if (!task.empty()) query.task = task;
  query.limit = 1;
  HF_TRY(session::Page page, store.list(query));
  return page.total > 0;
}

Result<Answered> navigate(const ReasoningCaller& caller, mcp::Call& call) {
  session::StoreView store = caller.store_of(call);
  const JsonObject given = nested_or_flat(call.arguments(), "target", target_properties());
  const JsonObject* target = &given;
  if (given.empty())
    return fail(ErrorKind::invalid, "target is required", "{\"target\":{\"project\":\"...\",\"task\":\"...\"}}",
                "invalid_argument");
  HF_TRY(Connection connection, connection_of(call.caller(), store, caller.root().owner()));
  const auto text = [&](std::string_view key) { return std::string(find_string(*target, key).value_or("")); };
  const std::string project = text("project"), task = text("task"), aspect = text("aspect");
  HF_TRY(const bool known, exists(caller, call, project, task));
  if (!known)
    return fail(ErrorKind::not_found,
                task.empty() ? fmt::format("there is no project '{}'", project)
                             : fmt::format("project '{}' has no task '{}'", project, task),
                "init with operation list_sessions and filters {\"allRoots\":true} shows what there is");
  connection.position_project = project;
  connection.position_task = task;
  connection.position_aspect = aspect;
  if (!connection.id.empty())
    HF_CHECK(store.write([&](session::Transaction& transaction) { return reasoning::save_connection(transaction, connection); }));
  return Answered{
      {{"project", text_or_null(project)}, {"task", text_or_null(task)}, {"aspect", text_or_null(aspect)}}, {}, false};
}

struct Operation {
  std::string_view name;
  Result<Answered> (*run)(const ReasoningCaller&, mcp::Call&);
};
constexpr std::array kOperations = {Operation{"get_state", get_state},       Operation{"list_roots", list_roots},
                                    Operation{"bind_root", bind_root},       Operation{"start_new", start_new},
                                    Operation{"load_context", load_context}, Operation{"list_sessions", list_sessions},
                                    Operation{"navigate", navigate}};

JsonObject init_properties() {
  JsonArray names;
  for (const Operation& operation : kOperations) names.emplace_back(operation.name);
  JsonObject all{
      {"operation", JsonObject{{"enum", std::move(names)}}},
      {"sessionId",
       JsonObject{{"type", "string"}, {"description", "load_context: this session; else the project's most recent"}}},
      {"root", JsonObject{{"type", "string"}, {"description", "project root, a file URI or absolute path"}}},
      {"rootUri", argument::text()},
      {"recent", JsonObject{{"type", "integer"}, {"description", "load_context: last thoughts to return, 0-50 [5]"}}},
      {"maxChars", JsonObject{{"type", "integer"}, {"description", "load_context: budget for their texts"}}},
      {"filters", JsonObject{{"type", "object"},
                             {"description", "list_sessions: root, allRoots, project, task, aspect, tags, status, search"}}},
      {"limit", argument::integer()},
      {"offset", argument::integer()},
      {"target", JsonObject{{"type", "object"}, {"description", "navigate: project, task, aspect"}}},
      {"tags", JsonObject{{"type", "array"}, {"items", argument::text()}}}};
  all["allRoots"] = argument::flag();
  all["status"] = JsonObject{{"type", JsonArray{"string", "array"}}};
  all["search"] = argument::text();
  for (const char* name : {"title", "project", "task", "aspect", "domain", "description"}) all[name] = argument::text();
  return all;
}

mcp::ToolReply run_init(const ReasoningCaller& caller, mcp::Call& call) {
  const std::string_view name = find_string(call.arguments(), "operation").value_or("get_state");
  const auto operation = std::ranges::find(kOperations, name, &Operation::name);
  if (operation == kOperations.end())
    return failure_with_ignored(
        make_error(ErrorKind::invalid, fmt::format("init has no operation {}", name), {}, "unsupported_operation"), call);
  auto answered = operation->run(caller, call);
  if (!answered) return failure_with_ignored(answered.error(), call);
  if (answered->input_required) return mcp::InputRequired{};
  add_ignored(answered->state, call);
  return mcp::ToolResult::state(std::move(answered->state), answered->summary);
}

}  // namespace

Result<void> add_init_tool(mcp::Server& server, const ReasoningCaller& caller) {
  mcp::Tool tool;
  tool.name = "init";
  tool.title = "Begin or continue";
  tool.description =
      "Find earlier thinking of this project and go on with it. load_context without an id returns the project's most recent "
      "session and makes it current; "
      "start_new begins one; get_state tells where you are. Nothing else needs to be called first.";
  const JsonObject all = init_properties();
  tool.input_schema = {{"type", "object"}, {"properties", all}};
  tool.normalise = [all](JsonObject& arguments) {
    settle_spelling(arguments, all, kInitAliases);
    for (const auto& [name, inner] : {std::pair("filters", filter_properties()), std::pair("target", target_properties())})
      if (const auto given = arguments.find(name); given != arguments.end())
        settle_value(given->value(), {{"type", "object"}, {"properties", inner}});
  };
  tool.annotations = {{"readOnlyHint", false}, {"destructiveHint", false}, {"openWorldHint", false}};
  tool.unknown = mcp::Tool::Unknown::report;
  tool.coerce_strings = true;
  tool.scope_of = scope_of_init_operation;
  tool.handler = [&caller](mcp::Call& call) { return run_init(caller, call); };
  return server.add_tool(std::move(tool));
}

}  // namespace holdfast::tools
