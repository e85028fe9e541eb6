// Where am I, what was I doing, go on or begin: a line of reasoning from the point of view of who comes back to it
// (reasoning-sessions §5).
//
// Whoever calls has perhaps lost everything but its project. So each operation begins with the situation: which connection this
// is and what is stored about it, which project it is about (which may put a question to the client first), and where it matters
// who else has a session open. With that
// 1. get_state tells what is known, and never fails: what cannot be found out is left out and said as a notice;
// 2. load_context (resume, resume_latest) takes the session that is named, else the project's most recent that nobody else works
//    in, makes it the connection's own, so that the next thought goes there, and returns its last thoughts and the alternatives;
// 3. start_new begins one and tells what is related; list_sessions and navigate are for looking around;
// 4. list_roots and bind_root say and settle which of the client's projects the connection is about.
// A project without sessions is no mistake: there is nothing to load, and that is the answer.

#include "base/text/text.h"
#include "base/text/uri.h"
#include "kinds/reasoning/begin.h"
#include "kinds/reasoning/read/recover.h"
#include "operations/operation.h"
#include "operations/reasoning/situated.h"
#include "operations/sessions/list_filters.h"
#include "operations/sessions/session_parameters.h"
#include "operations/table.h"
#include "session/kinds.h"
#include "session/query/display.h"
#include "session/query/known_damage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace holdfast::operations {

namespace {

using reasoning::Connection;
using session::SessionRecord;
using enum Parameter::Type;

constexpr std::size_t kRecoverable = 5;

// In words, for the line that a model reads first (L4).
std::string spoken_age(Millis then, Millis now) {
  constexpr Millis kMinute = 60'000, kHour = 60 * kMinute, kDay = 24 * kHour;
  const Millis age = std::max<Millis>(0, now - then);
  const auto ago = [&](Millis unit, std::string_view name) {
    return fmt::format("{} {}{} ago", age / unit, name, age / unit == 1 ? "" : "s");
  };
  if (age < kMinute) return "just now";
  return age < kHour ? ago(kMinute, "minute") : age < kDay ? ago(kHour, "hour") : ago(kDay, "day");
}

// Null for what is empty.
Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

// One candidate among several.
JsonObject session_summary(const SessionRecord& record, Millis now) {
  JsonObject item{{"sessionId", record.id},
                  {"title", session::shown_title(record)},
                  {"status", session::shown_status(record)},
                  {"thoughtCount", reasoning::thought_count(record)},
                  {"updatedAt", iso8601(record.updated_at)},
                  {"age", session::age(record.updated_at, now)}};
  if (record.pinned) item["pinned"] = true;
  if (!record.root_uri.empty()) item["rootUri"] = record.root_uri;
  if (record.damage) item["damage"] = *record.damage;
  return item;
}

// L4, with a budget for the texts of recentThoughts.
JsonObject loaded_state(const reasoning::Loaded& loaded, std::optional<std::int64_t> max_chars, Millis now) {
  const SessionRecord& record = loaded.record;
  JsonObject state{{"sessionId", record.id}, {"autoRecovered", loaded.auto_recovered}, {"root", text_or_null(record.root_uri)}};
  if (loaded.root_mismatch) state["rootMismatch"] = true;
  state["title"] = session::shown_title(record);
  state["tags"] = to_json_array(record.tags);
  state["status"] = session::shown_status(record);
  state["thoughtCount"] = reasoning::thought_count(record);
  state["totalCount"] = reasoning::total_count(record);
  state["branchCount"] = loaded.branches.size();
  state["currentThoughtNumber"] = loaded.current_number;
  state["nextThoughtNumber"] = loaded.next_number;
  JsonArray branches, recent, alternatives;
  for (const reasoning::BranchState& branch : loaded.branches)
    branches.push_back(JsonObject{{"branchId", branch.id},
                                  {"forks", branch.forks},
                                  {"length", branch.length},
                                  {"last", branch.last},
                                  {"status", branch.completed ? "completed" : "active"}});
  // The newest keep their words longest: a budget is spent from the end.
  std::int64_t left = max_chars.value_or(0);
  for (auto each = loaded.recent.rbegin(); each != loaded.recent.rend(); ++each) {
    JsonObject item = reasoning::thought_item(*each);
    if (max_chars) {
      const std::string text = shorten(to_valid_utf8(each->text), static_cast<std::size_t>(std::max<std::int64_t>(left, 1)));
      left -= static_cast<std::int64_t>(utf8_length(text));
      if (text != to_valid_utf8(each->text)) item["truncated"] = true;
      item["thought"] = text;
    }
    recent.insert(recent.begin(), std::move(item));
  }
  for (const SessionRecord& other : loaded.alternatives) alternatives.push_back(session_summary(other, now));
  state["branches"] = std::move(branches);
  state["recentThoughts"] = std::move(recent);
  state["alternatives"] = std::move(alternatives);
  if (loaded.damage || record.damage) state["damage"] = loaded.damage ? *loaded.damage : *record.damage;
  std::vector<std::string> notices;
  if (!loaded.notice.empty()) notices.push_back(loaded.notice);
  if (loaded.in_use)
    notices.emplace_back(
        "another connection has this session open, too: its thoughts will stand between yours; to keep apart, load one of the "
        "alternatives by its sessionId, or begin one with start_new");
  if (!notices.empty()) state["notice"] = fmt::format("{}", fmt::join(notices, "; "));
  return state;
}

// "Recovered session <id>: 47 thoughts, 2m ago."
std::string loaded_line(const reasoning::Loaded& loaded, Millis now) {
  const std::int64_t count = reasoning::total_count(loaded.record);
  return fmt::format("{} session {}: {} {}, {}", loaded.auto_recovered ? "Recovered" : "Loaded", loaded.record.id, count,
                     count == 1 ? "thought" : "thoughts", spoken_age(loaded.record.updated_at, now));
}

JsonArray summaries(const std::vector<SessionRecord>& records, Millis now) {
  JsonArray out;
  for (const SessionRecord& record : records) out.push_back(session_summary(record, now));
  return out;
}

Result<void> keep_connection(Context& context, const Connection& connection) {
  HF_TRY(session::Store* const store, context.store(false));
  return store->write([&](session::Transaction& transaction) { return reasoning::save_connection(transaction, connection); });
}

Result<Facts> get_state(Context& context, const Given&) {
  std::string problem;
  auto found = context.situation(Situate::root);
  if (!found && !is_asked(found.error())) {
    problem = found.error().message;
    found = context.situation(Situate::connection);
  }
  HF_TRY(const Situated situated, std::move(found));
  HF_TRY(session::Store* const store, context.store(true));
  const reasoning::Situation& situation = situated.situation;
  const Connection& connection = situation.connection;
  Facts facts{{"root", situation.roots.empty() ? Json(nullptr) : Json(situation.roots.front())},
              {"rootSource", situated.root_source.empty() ? "none" : situated.root_source}};
  if (situation.roots.size() > 1) facts["roots"] = to_json_array(situation.roots);
  if (!connection.bound_root.empty()) facts["boundRoot"] = connection.bound_root;
  if (!connection.active_session.empty())
    if (auto active = store->get(connection.active_session)) facts["activeSession"] = session_summary(*active, context.now());
  JsonArray recoverable;
  if (!situation.roots.empty())
    if (auto page = reasoning::recoverable(*store, situation, {}, kRecoverable))
      recoverable = summaries(page->items, context.now());
  facts["recoverable"] = std::move(recoverable);
  if (!connection.position_project.empty()) facts["project"] = connection.position_project;
  if (!connection.position_task.empty()) facts["task"] = connection.position_task;
  if (!connection.position_aspect.empty()) facts["aspect"] = connection.position_aspect;
  const std::string& notice = problem.empty() ? situated.notice : problem;
  if (!notice.empty()) facts["notice"] = notice;
  return facts;
}

Result<Facts> list_roots(Context& context, const Given&) {
  HF_TRY(Situated situated, context.situation(Situate::connection));
  HF_TRY(const OfferedRoots offer, context.offered_roots(situated));
  const std::string& bound = situated.situation.connection.bound_root;
  JsonArray roots;
  for (const reasoning::OfferedRoot& root : offer.roots)
    roots.push_back(JsonObject{{"uri", root.uri}, {"name", root.name}, {"isBound", root.uri == bound}});
  Facts facts{{"available", offer.available}, {"roots", std::move(roots)}};
  if (!bound.empty()) facts["boundRoot"] = bound;
  if (!offer.notice.empty()) facts["notice"] = offer.notice;
  return facts;
}

constexpr std::array kBindParameters{Parameter{.name = "root_uri"}, kRootParameters[0]};

Result<Facts> bind_root(Context& context, const Given& given) {
  if (!given.has("root_uri") && !given.has("root"))
    return fail(ErrorKind::invalid, "{root_uri} is required", "a file URI or an absolute path", "invalid_argument");
  auto root = canonical_root(given.text(given.has("root_uri") ? "root_uri" : "root"));
  if (!root) return fail(std::move(root).error().within("{root_uri}"));
  HF_TRY(Situated situated, context.situation(Situate::connection));
  Connection& connection = situated.situation.connection;
  if (connection.id.empty())
    return fail(ErrorKind::refused, "this protocol version has no connection to bind a root to",
                "give root with every call, or start the server with --root", "no_connection");
  HF_TRY(const OfferedRoots offer, context.offered_roots(situated));
  const auto is_it = [&](const reasoning::OfferedRoot& each) { return each.uri == *root; };
  if (offer.available && !offer.roots.empty() && std::ranges::none_of(offer.roots, is_it)) {
    std::vector<std::string> uris;
    for (const reasoning::OfferedRoot& each : offer.roots) uris.push_back(each.uri);
    return fail(ErrorKind::invalid, fmt::format("the client does not offer {}", *root),
                fmt::format("it offers: {}", fmt::join(uris, ", ")), "root_not_offered");
  }
  connection.bound_root = *root;
  HF_CHECK(keep_connection(context, connection));
  return Facts{{"success", true}, {"boundRoot", *root}};
}

constexpr std::array kLabels{Parameter{.name = "project"}, Parameter{.name = "task"}, Parameter{.name = "aspect"}};
constexpr auto kStartParameters =
    joined(kLabels, std::array{Parameter{.name = "title"}, Parameter{.name = "description"}, Parameter{.name = "domain"},
                               Parameter{.name = "tags", .type = texts}});

Result<Facts> start_new(Context& context, const Given& given) {
  HF_TRY(const Situated situated, context.situation(Situate::root));
  HF_TRY(session::Store* const store, context.store(false));
  reasoning::NewSession wanted;
  wanted.title = given.text("title");
  wanted.description = given.text("description");
  wanted.project = given.text("project");
  wanted.task = given.text("task");
  wanted.aspect = given.text("aspect");
  wanted.domain = given.text("domain");
  wanted.tags = given.texts("tags");
  HF_TRY(reasoning::Started started, reasoning::start_session(*store, wanted, situated.situation));
  Facts facts{{"sessionId", started.record.id}, {"nextThoughtNumber", 1}, {"root", text_or_null(started.record.root_uri)}};
  if (!started.previous_session.empty()) facts["previousSessionId"] = started.previous_session;
  facts["related"] = JsonObject{{"projectCount", started.related.project_count},
                                {"taskCount", started.related.task_count},
                                {"aspectCount", started.related.aspect_count},
                                {"sessions", summaries(started.related.sessions, context.now())}};
  if (!situated.situation.has_connection())
    started.notices.emplace_back(
        "this protocol version has no connections: give sessionId with every thought, or leave it out to find the project's "
        "session");
  if (!situated.notice.empty()) started.notices.push_back(situated.notice);
  if (!started.notices.empty()) facts["notice"] = fmt::format("{}", fmt::join(started.notices, "; "));
  return facts;
}

Facts nothing_yet(const Error& none, const Situated& situated) {
  Facts facts{{"sessionId", nullptr},   {"autoRecovered", false},        {"thoughtCount", 0},           {"totalCount", 0},
              {"nextThoughtNumber", 1}, {"recentThoughts", JsonArray{}}, {"alternatives", JsonArray{}}, {"hint", none.hint}};
  facts["summary"] = fmt::format("{}: {}", none.message, none.hint);
  facts["root"] = text_or_null(situated.situation.roots.front());
  if (!situated.notice.empty()) facts["notice"] = situated.notice;
  return facts;
}

Result<Facts> loaded_facts(Context& context, const reasoning::LoadRequest& request, const Situated& situated,
                           std::optional<std::int64_t> max_chars) {
  HF_TRY(session::Store* const store, context.store(false));
  HF_TRY(reasoning::Loaded loaded, reasoning::load_session(*store, request, situated.situation));
  session::add_known_damage(*store, loaded.record);
  Facts facts = loaded_state(loaded, max_chars, context.now());
  facts["summary"] = loaded_line(loaded, context.now());
  if (!situated.notice.empty()) {
    const std::string own = text_in(facts, "notice");
    facts["notice"] = own.empty() ? situated.notice : fmt::format("{}; {}", situated.notice, own);
  }
  return facts;
}

constexpr std::array kLoadParameters{kMaybeRecord, Parameter{.name = "tags", .type = texts},
                                     Parameter{.name = "recent", .type = number, .least = kAnyNumber},
                                     Parameter{.name = "max_chars", .type = number, .least = kAnyNumber}};

Result<Facts> load_context(Context& context, const Given& given) {
  HF_TRY(const Situated situated, context.situation(Situate::others));
  reasoning::LoadRequest request;
  if (const std::string id = given.text("session"); !id.empty()) request.session_id = id;
  request.tags = given.texts("tags");
  request.recent = given.number("recent", request.recent);
  auto facts = loaded_facts(context, request, situated, given.number("max_chars"));
  if (!facts && facts.error().code == reasoning::kNoSessions) return nothing_yet(facts.error(), situated);
  return facts;
}

// The same without a budget, for `session`; its notice is the session's own.
Result<Facts> resumed(Context& context, const reasoning::LoadRequest& request) {
  HF_TRY(Situated situated, context.situation(Situate::others));
  situated.notice.clear();
  HF_TRY(Facts facts, loaded_facts(context, request, situated, std::nullopt));
  const JsonArray* recent = find_array(facts, "recentThoughts");
  facts["lastThought"] = !recent || recent->empty() ? Json(nullptr) : recent->back();
  return facts;
}

constexpr std::array kResumeParameters{kRecord};

Result<Facts> resume_line(Context& context, const Given& given) {
  reasoning::LoadRequest request;
  request.session_id = given.text("session");
  return resumed(context, request);
}

constexpr std::array kLatestParameters{Parameter{.name = "tags", .type = texts}};

Result<Facts> resume_latest(Context& context, const Given& given) {
  reasoning::LoadRequest request;
  request.tags = given.texts("tags");
  return resumed(context, request);
}

constexpr auto kLinesParameters =
    joined(kLabels, kRootParameters,
           std::array{Parameter{.name = "status", .type = texts}, Parameter{.name = "search"},
                      Parameter{.name = "visibility", .type = texts}, Parameter{.name = "tags", .type = texts},
                      Parameter{.name = "limit", .type = number, .least = kAnyNumber},
                      Parameter{.name = "offset", .type = number, .least = kAnyNumber}});

Result<Facts> list_lines(Context& context, const Given& given) {
  session::Query query;
  query.kinds = {std::string(session::kReasoning)};
  query.principal = context.identity().principal;
  if (given.has("root") && !given.flag("all_roots")) {
    HF_TRY(std::string root, canonical_root(given.text("root")));
    query.roots = {std::move(root)};
  } else {
    HF_CHECK(limit_to_roots(context, given, query));
  }
  for (auto [name, field] :
       {std::pair("project", &query.project), std::pair("task", &query.task), std::pair("aspect", &query.aspect)})
    if (given.has(name)) *field = given.text(name);
  query.tags = given.texts("tags");
  query.statuses = given.texts("status");
  HF_TRY(query.visibilities, visibilities_of(given));
  query.text = given.text("search");
  HF_TRY(query.limit, limit_of(given, kListLimit, context.longest_list()));
  const std::int64_t offset = given.number("offset", 0);
  if (offset < 0) return fail(ErrorKind::invalid, "offset must not be negative", {}, "invalid_argument");
  query.offset = static_cast<std::size_t>(offset);
  HF_TRY(session::Store* const store, context.store(true));
  HF_TRY(session::Page page, store->list(query));
  session::look_for_damage(*store, page.items);
  const std::size_t count = page.items.size();
  return Facts{{"sessions", summaries(page.items, context.now())},
               {"count", count},
               {"total", page.total},
               {"hasMore", offset + static_cast<std::int64_t>(count) < page.total}};
}

// Is there a session with these labels?
Result<bool> is_known(Context& context, const std::string& project, const std::string& task) {
  session::Query query;
  query.kinds = {std::string(session::kReasoning)};
  query.principal = context.identity().principal;
  if (!project.empty()) query.project = project;
  if (!task.empty()) query.task = task;
  query.limit = 1;
  HF_TRY(session::Store* const store, context.store(true));
  HF_TRY(const session::Page page, store->list(query));
  return page.total > 0;
}

Result<Facts> navigate(Context& context, const Given& given) {
  if (given.values().empty())
    return fail(ErrorKind::invalid, "target is required", "{\"target\":{\"project\":\"...\",\"task\":\"...\"}}",
                "invalid_argument");
  HF_TRY(Situated situated, context.situation(Situate::connection));
  const std::string project = given.text("project"), task = given.text("task"), aspect = given.text("aspect");
  HF_TRY(const bool known, is_known(context, project, task));
  if (!known)
    return fail(ErrorKind::not_found,
                task.empty() ? fmt::format("there is no project '{}'", project)
                             : fmt::format("project '{}' has no task '{}'", project, task),
                "init with operation list_sessions and filters {\"allRoots\":true} shows what there is");
  Connection& connection = situated.situation.connection;
  connection.position_project = project;
  connection.position_task = task;
  connection.position_aspect = aspect;
  if (!connection.id.empty()) HF_CHECK(keep_connection(context, connection));
  return Facts{{"project", text_or_null(project)}, {"task", text_or_null(task)}, {"aspect", text_or_null(aspect)}};
}

// Binding and navigating change what the connection remembers, and no session.
constexpr std::array kContinuing{
    reads("init get_state", "where who calls is", {}, get_state),
    reads("init list_roots", "the projects that the client offers", {}, list_roots),
    reads("init bind_root", "the connection is about this project", kBindParameters, bind_root),
    adds("init start_new", "begin a line of reasoning", kStartParameters, start_new),
    reads("init load_context", "go on with a session of the project", kLoadParameters, load_context),
    reads("init list_sessions", "lines of reasoning", kLinesParameters, list_lines),
    reads("init navigate", "to sessions of a project, a task", kLabels, navigate),
    of_kind(session::kReasoning, reads("reasoning resume", "go on with this session", kResumeParameters, resume_line)),
    of_kind(session::kReasoning,
            reads("reasoning resume_latest", "go on with the project's most recent", kLatestParameters, resume_latest)),
};

}  // namespace

std::span<const Operation> continuing_operations() {
  return kContinuing;
}

}  // namespace holdfast::operations
