#include "tools/transcripts/search_tools.h"

#include "base/run/when.h"
#include "base/text/text.h"
#include "base/text/uri.h"
#include "catalogue/files.h"
#include "catalogue/list.h"
#include "kinds/transcripts/passages/one_passage_source.h"
#include "kinds/transcripts/passages/passage_sources.h"
#include "kinds/transcripts/reading/session_info.h"
#include "operations/operation.h"
#include "tools/argument_schema.h"
#include "tools/call_context.h"

#include <fmt/format.h>

namespace holdfast::tools {
namespace {

using Answer = Result<JsonObject>;
using session::FindRequest;

constexpr std::size_t kMaxFound = 100;                      // sessions of one answer: a model reads them all
constexpr std::size_t kDetailPlaces = 20;                   // matches inside of one session
constexpr std::size_t kMessageLength = 1'000;               // characters of a message in a detail
constexpr std::size_t kOpening = 3, kLast = 10;             // messages of a detail
constexpr std::uint64_t kEndBytes = 512 * 1024;             // read at the end of a transcript for them, at first
constexpr std::uint64_t kMaxReadBytes = 256 * 1024 * 1024;  // and at most: about a second

JsonObject count(std::string_view description, std::size_t fallback, std::size_t most) {
  return {{"type", "integer"}, {"minimum", 1}, {"maximum", most}, {"default", fallback}, {"description", description}};
}

Result<std::optional<Millis>> when_of(const std::string& text, std::string_view argument, Millis now) {
  if (text.empty()) return std::nullopt;
  auto time = parse_when(text, now);
  if (!time) return fail(std::move(time).error().within(argument));
  return *time;
}

class SearchCall {
 public:
  SearchCall(mcp::Call& call, session::Store& store, const transcripts::Keeper& keeper, CallContext& transcripts,
             const SearchRoom::Engine& engine)
      : call_(call),
        store_(store),
        keeper_(keeper),
        transcripts_(transcripts),
        engine_(engine),
        owner_(check_owner(call.caller()).has_value()) {}

  Answer search() {
    HF_TRY(FindRequest request, request_of());
    request.text = text("query");
    HF_TRY(const session::FindResult found, engine_.finder->find(request));
    JsonObject answer = json_of(found);
    answer["query"] = request.text;
    return answer;
  }

  Answer recent() {
    HF_TRY(const auto project, transcripts_.folder(text("project")));
    catalogue::Filter filter;
    filter.query.kinds = {std::string(session::kTranscript)};
    filter.query.limit = limit(kRecent);
    if (project) {
      HF_TRY(std::string root, canonical_root(*project));
      filter.query.roots = {std::move(root)};
    }
    HF_TRY(const catalogue::Page page, catalogue::list(transcripts_.asker(), filter));
    JsonArray sessions;
    for (const auto& [found, record, line] : page.items) {
      sessions.emplace_back(
          JsonObject{{"session_id", record.id},
                     {"product", line.session.product()},
                     {"title", line.title},
                     {"project", line.project_path},
                     {"branch", line.git_branch},
                     {"status", record.status},
                     {"updated_at", iso8601(record.updated_at)},
                     {"bytes", line.session.size()},
                     {"resume_command", found.is_kept() ? restore_command(line.session) : resume_command(line)}});
    }
    const std::size_t shown = sessions.size();
    JsonObject answer{
        {"sessions", std::move(sessions)}, {"count", shown}, {"total", page.total}, {"hasMore", !page.next_cursor.empty()}};
    if (!page.unread.empty()) answer["warnings"] = to_json_array(page.warnings());
    return answer;
  }

  Answer detail() {
    HF_CHECK(transcripts_.keeper_for(text("session_id")));
    HF_TRY(const auto found, transcripts_.transcript(text("session_id"), text("source_project")));
    const transcripts::Keeper& keeper = keeper_;
    HF_TRY(const auto line, catalogue::line_of(keeper, nullptr, found));
    const transcripts::AnySession& session = line.session;
    JsonObject answer{
        {"session_id", session.id()}, {"product", session.product()},
        {"title", line.title},        {"project", line.project_path},
        {"branch", line.git_branch},  {"updated_at", iso8601(line.last_time > 0 ? line.last_time : session.mtime())},
        {"bytes", session.size()},    {"resume_command", found.is_kept() ? restore_command(session) : resume_command(line)}};
    if (found.is_kept()) answer["status"] = "kept";
    if (line.first_time > 0) answer["created_at"] = iso8601(line.first_time);
    HF_CHECK(add_messages(found, session, answer));
    if (const std::string query = text("search_query"); !query.empty()) {
      FindRequest request;
      request.text = query;
      request.kinds = {"transcript"};
      request.transcripts = owner_;
      request.session = session.id();
      request.limit = 1;
      request.per_session = kDetailPlaces;
      HF_TRY(const session::FindResult places_found, engine_.finder->find(request));
      JsonArray matches;
      if (!places_found.sessions.empty()) {
        const JsonObject described = json_of(places_found.sessions.front());
        if (const JsonArray* places = find_array(described, "matches")) matches = *places;
      }
      answer["matches"] = std::move(matches);
    }
    return answer;
  }

 private:
  static constexpr std::size_t kFound = 10, kRecent = 20;

  // How it began and ended. What nobody but a backup has is no source of the search: it is read from there.
  Result<void> add_messages(const catalogue::Found& found, const transcripts::AnySession& listed, JsonObject& answer) {
    if (!found.in_backup()) return add_messages(*engine_.sources, listed, answer);
    HF_TRY(const auto source, catalogue::source_of(keeper_, found));
    HF_TRY(auto transcript, source->open(source->session().path()));
    answer["bytes"] = transcript.size;
    transcripts::OnePassageSource alone(std::move(transcript), source->product());
    return add_messages(alone, source->session(), answer);
  }

  static Result<void> add_messages(search::PassageSources& sources, const transcripts::AnySession& session, JsonObject& answer) {
    search::Source source;
    source.key = std::string(session.codex() ? transcripts::kCodexKeys : transcripts::kClaudeKeys) + session.path();
    source.session = session.id();
    source.size = session.size();
    HF_TRY(answer["opening"], opening(sources, source));
    HF_TRY(answer["last_messages"], last_messages(sources, source));
    return {};
  }

  std::size_t limit(std::size_t fallback) const {
    const auto given = find_int(call_.arguments(), "limit");
    return given ? static_cast<std::size_t>(*given) : fallback;
  }

  Result<FindRequest> request_of() {
    FindRequest request;
    request.store = &store_;
    request.transcripts = owner_;
    request.limit = limit(kFound);
    HF_TRY(const auto project, transcripts_.folder(text("project")));
    request.project = project.value_or("");
    request.branch = text("branch");
    request.tool = text("tool");
    request.model = text("model");
    request.file = text("file");
    const Millis now = transcripts_.now();
    HF_TRY(request.since, when_of(text("after_date"), "after_date", now));
    HF_TRY(request.until, when_of(text("before_date"), "before_date", now));
    if (const auto role = search::passage_role(text("role"))) request.roles = {*role};
    if (const std::string kind = text("kind"); !kind.empty()) request.kinds = {kind};
    if (!owner_) {
      if (request.kinds == std::vector<std::string>{"transcript"}) HF_CHECK(check_owner(call_.caller()));
      if (request.kinds.empty()) request.kinds = {"reasoning", "thread", "research", "document", "run"};
    }
    if (find_bool(call_.arguments(), "exclude_current").value_or(true)) {
      request.not_session = text("current_session_id");
      if (request.not_session.empty() && owner_) request.not_session = transcripts_.caller_session();
    }
    return request;
  }

  // What people and models said at the beginning.
  static Result<Json> opening(search::PassageSources& sources, const search::Source& source) {
    JsonArray messages;
    const auto read = sources.read(source, {}, kMaxReadBytes, [&](const search::Passage& passage) {
      if (is_said(passage)) messages.emplace_back(message_of(passage, true));
      return messages.size() < kOpening;
    });
    if (!read) return fail(read.error());
    return Json(std::move(messages));
  }

  // And at the end: more is read until there is something.
  static Result<Json> last_messages(search::PassageSources& sources, const search::Source& source) {
    JsonArray messages;
    for (std::uint64_t bytes = kEndBytes;; bytes *= 8) {
      const std::uint64_t from = source.size > bytes ? source.size - bytes : 0;
      messages.clear();
      const auto read = sources.read(source, {from, 1}, source.size, [&](const search::Passage& passage) {
        if (!is_said(passage)) return true;
        // Counted from the beginning only: what was read from the middle on has no number.
        messages.emplace_back(message_of(passage, from == 0));
        if (messages.size() > kLast) messages.erase(messages.begin());
        return true;
      });
      if (!read) return fail(read.error());
      if (!messages.empty() || from == 0 || bytes >= kMaxReadBytes) return Json(std::move(messages));
    }
  }

  static bool is_said(const search::Passage& passage) {
    return passage.role == search::PassageRole::user || passage.role == search::PassageRole::assistant;
  }
  static JsonObject message_of(const search::Passage& passage, bool with_line) {
    JsonObject message{{"role", name_of(passage.role)}, {"text", shorten(to_valid_utf8(passage.text), kMessageLength)}};
    if (passage.time > 0) message["time"] = iso8601(passage.time);
    if (with_line) message["line"] = passage.line;
    return message;
  }

  std::string text(std::string_view name) const { return text_in(call_.arguments(), name); }

  mcp::Call& call_;
  session::Store& store_;  // as the caller sees it
  const transcripts::Keeper& keeper_;
  CallContext& transcripts_;
  SearchRoom::Engine engine_;
  bool owner_;
};

struct SearchTool {
  std::string name, title, description;
  JsonObject properties;
  JsonArray required;
  JsonObject output;
  Answer (SearchCall::*run)();
};

std::vector<SearchTool> search_tools() {
  const JsonArray roles = {"user", "assistant", "thinking", "tool_call", "tool_result", "system", "title"};
  const JsonArray kinds = {"transcript", "reasoning", "thread", "research", "document", "run"};
  return {
      {"search_sessions",
       "Search past sessions",
       "Find earlier work: words, word*, \"a phrase\", -without, or code as it stands (foo_bar, src/a.cpp, E0277), in everything "
       "people, models and tools said, in every project. Answers with the places, and the command that resumes each session.",
       {{"query", argument::text("what to look for; all words must stand in one message")},
        {"limit", count("sessions", 10, kMaxFound)},
        {"project", argument::text("only sessions of this folder")},
        {"kind", JsonObject{{"type", "string"}, {"enum", kinds}, {"description", "only this kind; default: every kind"}}},
        {"role", JsonObject{{"type", "string"}, {"enum", roles}, {"description", "only what was said so"}}},
        {"tool", argument::text("only calls of this tool")},
        {"model", argument::text("only answers of this model")},
        {"branch", argument::text("only on this git branch")},
        {"file", argument::text("only where a tool touched this file: its path, or the end of it")},
        {"after_date", argument::text("not before this time (3d, 2026-07-01)")},
        {"before_date", argument::text("before this time")},
        {"current_session_id", argument::text("the session that is calling, when it is known")},
        {"exclude_current",
         JsonObject{{"type", "boolean"}, {"default", true}, {"description", "leave the calling session out"}}}},
       {"query"},
       argument::result_with({{"sessions", "count", "hasMore"}}),
       &SearchCall::search},
      {"list_recent_sessions",
       "Recent sessions",
       "Transcripts of Claude Code and Codex, newest first, with the command that resumes each.",
       {{"limit", count("how many", 20, kMaxFound)}, {"project", argument::text("only sessions of this folder")}},
       {},
       argument::result_with({{"sessions", "count", "total", "hasMore"}}),
       &SearchCall::recent},
      {"get_session_detail",
       "One session in detail",
       "How a session began, how it ended, and where in it something was said.",
       {{"session_id", argument::text("id, or a unique start of it; default: the session that is calling")},
        {"search_query", argument::text("places in this session that say so; as in search_sessions")},
        {"source_project", argument::text("folder of the project to search in, when an id exists in several")}},
       {},
       argument::result_with({{"session_id", "title", "project", "opening", "last_messages", "resume_command"}}),
       &SearchCall::detail}};
}

}  // namespace

Result<void> add_search_tools(mcp::Server& server, const session::SharedStore& stores, const CallRoom& calls,
                              const SearchRoom& room) {
  for (SearchTool& each : search_tools()) {
    mcp::Tool tool;
    tool.name = each.name;
    tool.title = each.title;
    tool.description = each.description;
    tool.input_schema = {{"type", "object"}, {"properties", std::move(each.properties)}};
    if (!each.required.empty()) tool.input_schema["required"] = std::move(each.required);
    tool.output_schema = std::move(each.output);
    tool.annotations = {{"readOnlyHint", true}, {"destructiveHint", false}, {"openWorldHint", false}};
    tool.unknown = mcp::Tool::Unknown::refuse;
    tool.argument_error = exit_word(ErrorKind::invalid);
    tool.handler = [&stores, &calls, &room, run = each.run](mcp::Call& call) -> mcp::ToolReply {
      const auto work = [&]() -> Answer {
        HF_TRY(const SearchRoom::Engine engine, room.engine());
        session::StoreView store(stores, call.caller());
        CallContext context(call, store, calls);
        SearchCall search_call(call, store, *calls.keeper, context, engine);
        return (search_call.*run)();
      };
      Answer answer = work();
      if (answer) return mcp::ToolResult::state(std::move(*answer));
      Error error = std::move(answer).error();
      operations::put_in_spelling_of(error, [](std::string_view name) { return std::string(name); });
      error.code = exit_word(error.kind);
      return mcp::ToolResult::failure(error);
    };
    HF_CHECK(server.add_tool(std::move(tool)));
  }
  return {};
}

}  // namespace holdfast::tools
