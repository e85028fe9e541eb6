// The tools over transcripts and the search: views of operations under the names of their contract (transcript-archive §3, §10).

#include "tools/transcripts/transcript_tools.h"

#include "operations/table.h"
#include "tools/argument_schema.h"
#include "tools/call_context.h"
#include "tools/program_starters.h"

#include <array>

namespace holdfast::tools {

namespace {

using operations::Given;

// An argument of a tool, and the parameter of its operation that it gives.
struct ToolArgument {
  std::string_view name, parameter;
  std::string_view about = {};  // instead of the parameter's own help
  bool required = false;
  bool reversed = false;      // a flag whose opposite is the parameter's; true when it is not given
  bool single = false;        // one text where the parameter takes several
  std::int64_t fallback = 0;  // of a number, when the schema says one; then kMostFound is the most
};

constexpr std::int64_t kMostFound = 100;  // sessions of one answer: a model reads them all

struct TranscriptTool {
  std::string_view name, title, description;
  std::string_view operation;
  std::span<const ToolArgument> arguments;
  std::span<const std::string_view> result;         // what the answer has at least
  std::span<const std::string_view> of_store = {};  // and when it is about a session that the store has
  // What the contract says in other words than the operation; also gets what is no parameter at all.
  Result<void> (*adapt)(CallContext& call, const JsonObject& arguments, Given& given) = nullptr;
  JsonObject (*more)() = nullptr;                       // schemas of arguments that are no parameters
  JsonObject (*answer)(operations::Facts&&) = nullptr;  // the facts under the names of the contract
  // Also for those who have no transcripts, and quick: what died half way is ended by others.
  bool only_looks = false;
};

constexpr ToolArgument kId{"session_id", "session", "default: the session that is calling"};
constexpr ToolArgument kNeededId{"session_id", "session", "id of the session, or a unique start of it", true};
constexpr ToolArgument kProject{"source_project", "source_project"};
constexpr ToolArgument kTranslatePaths{"translate_paths", "no_translate", "translate the paths of the old project to the new one",
                                       false, true};

constexpr std::array kSaveArguments{
    kId, ToolArgument{"output_path", "output", "path ending in .json or .json.zst; default: holdfast's own folder of archives"},
    ToolArgument{"format", "format"}};
constexpr std::array kGistArguments{kId, kProject, ToolArgument{"visibility", "gist_visibility"},
                                    ToolArgument{"description", "gist_description", "of the gist"}};
constexpr std::array kRestoreArguments{
    ToolArgument{"archive_path", "archive", "a file, gist://ID, s3://BUCKET/KEY, or the id of a deleted session", true},
    kTranslatePaths};
constexpr std::array kCloneArguments{
    ToolArgument{"source_session_id", "session", "id, or a unique start of it; default: the session that is calling"},
    kTranslatePaths, kProject};
constexpr std::array kDeleteArguments{kNeededId,
                                      kProject,
                                      ToolArgument{"force", "force"},
                                      ToolArgument{"terminate_running", "terminate"},
                                      ToolArgument{"no_backup", "no_backup"},
                                      ToolArgument{"dry_run", "dry_run"},
                                      ToolArgument{"delete_cross_session_artifacts", "delete_cross_session_artifacts"}};
constexpr std::array kMoveArguments{
    kNeededId,
    kProject,
    ToolArgument{"target_project", "target_project", "folder it goes to; default: the current project"},
    ToolArgument{"force", "force"},
    ToolArgument{"terminate_running", "terminate"},
    ToolArgument{"no_backup", "no_backup"},
    ToolArgument{"dry_run", "dry_run"}};
constexpr std::array kTellingArguments{kId, kProject};

constexpr std::array kSearchArguments{
    ToolArgument{"query", "query", "what to look for; all words must stand in one message", true, false, true},
    ToolArgument{.name = "limit", .parameter = "limit", .about = "sessions", .fallback = 10},
    ToolArgument{"project", "project"},
    ToolArgument{.name = "kind", .parameter = "kind", .about = "only this kind; default: every kind", .single = true},
    ToolArgument{.name = "role", .parameter = "role", .single = true},
    ToolArgument{"tool", "tool"},
    ToolArgument{"model", "model", "only answers of this model"},
    ToolArgument{"branch", "branch"},
    ToolArgument{"file", "file"},
    ToolArgument{"after_date", "since", "not before this time (3d, 2026-07-01)"},
    ToolArgument{"before_date", "until"},
    ToolArgument{"current_session_id", "not_session", "the session that is calling, when it is known"}};
constexpr std::array kRecentArguments{ToolArgument{.name = "limit", .parameter = "limit", .about = "how many", .fallback = 20},
                                      ToolArgument{"project", "source_project"}};
constexpr std::array kDetailArguments{ToolArgument{"session_id", "session"}, ToolArgument{"search_query", "query"},
                                      ToolArgument{"source_project", "source_project"}};

constexpr std::array<std::string_view, 3> kFound = {"sessions", "count", "hasMore"};
constexpr std::array<std::string_view, 4> kRecent = {"sessions", "count", "total", "hasMore"};
constexpr std::array<std::string_view, 6> kDetail = {"session_id", "title",         "project",
                                                     "opening",    "last_messages", "resume_command"};
constexpr std::array<std::string_view, 10> kSaved = {"file_path",   "session_id",  "format",          "size_mb",
                                                     "archived_at", "files",       "session_records", "agent_records",
                                                     "file_count",  "custom_title"};
constexpr std::array<std::string_view, 4> kSavedOfStore = {"session_id", "kind", "output", "entries"};
constexpr std::array<std::string_view, 4> kRestoredToStore = {"session_id", "kind", "original_id", "entries"};
constexpr std::array<std::string_view, 9> kSavedToGist = {"gist_url",      "gist_id",    "session_id",
                                                          "format",        "size_mb",    "session_records",
                                                          "agent_records", "file_count", "restore_command"};
constexpr std::array<std::string_view, 8> kCopied = {"new_session_id", "original_session_id", "project_path",
                                                     "was_in_place",   "agent_files",         "main_session_file",
                                                     "resume_command", "paths_translated"};
constexpr std::array<std::string_view, 10> kDeleted = {
    "session_id",    "was_dry_run",      "success",       "error_message",       "backup_path",
    "files_deleted", "size_freed_bytes", "deleted_files", "directories_removed", "deleted_at"};
constexpr std::array<std::string_view, 7> kMoved = {"session_id",     "source_project", "target_project", "files_moved",
                                                    "resume_command", "was_dry_run",    "warnings"};
constexpr std::array<std::string_view, 3> kFamily = {"root_session_id", "queried_session_id", "nodes"};
constexpr std::array<std::string_view, 8> kInfo = {"session_id",   "title", "project_path", "state",
                                                   "session_file", "files", "usage",        "resume_command"};

JsonObject storage_backend() {
  return {{"storage_backend", JsonObject{{"type", "string"}, {"enum", JsonArray{"local", "gist"}}, {"default", "local"}}}};
}

// A gist is a place like others to the operation.
Result<void> save_where(CallContext&, const JsonObject& arguments, Given& given) {
  if (find_string(arguments, "storage_backend") != "gist") return {};
  if (given.has("output"))
    return fail(ErrorKind::invalid, "a gist has no output_path", "leave out output_path or storage_backend");
  given.set("output", "gist://");
  given.set("yes", true);
  return {};
}

JsonObject gist_id() {
  JsonObject properties;
  properties["gist_id"] = argument::text("a gist whose former archive is replaced; default: a new one");
  return properties;
}

Result<void> save_to_gist(CallContext&, const JsonObject& arguments, Given& given) {
  given.set("output", Json("gist://" + text_in(arguments, "gist_id")));
  given.set("yes", true);
  return {};
}

// Standard input is the protocol's.
Result<void> refuse_standard_input(CallContext&, const JsonObject&, Given& given) {
  const std::string place = given.text("archive");
  if (place != "-" && !place.empty()) return {};
  return fail(ErrorKind::invalid, "{archive} must be a file, gist://ID, s3://BUCKET/KEY or the id of a session that is gone");
}

JsonObject exclude_current() {
  return {
      {"exclude_current", JsonObject{{"type", "boolean"}, {"default", true}, {"description", "leave the calling session out"}}}};
}

// Who calls knows what it has just said itself.
Result<void> leave_caller_out(CallContext& call, const JsonObject& arguments, Given& given) {
  const bool exclude = find_bool(arguments, "exclude_current").value_or(true);
  if (!exclude || !given.has("not_session")) given.set("not_session", Json(exclude ? call.caller_session() : ""));
  return {};
}

// Of every state, also when a project is given.
Result<void> list_all(CallContext&, const JsonObject&, Given& given) {
  given.set("all", true);
  return {};
}

JsonObject recent_answer(operations::Facts&& facts) {
  JsonArray sessions;
  for (const Json& each : *find_array(facts, "sessions")) {
    JsonObject one;
    for (const auto& [name, fact] : {std::pair{"session_id", "session_id"},
                                     {"product", "product"},
                                     {"title", "title"},
                                     {"project", "project_path"},
                                     {"branch", "git_branch"},
                                     {"status", "state"},
                                     {"updated_at", "updated_at"}})
      one[name] = text_in(each.get_object(), fact);
    one["bytes"] = each.at("size_bytes");
    one["resume_command"] = each.at("resume_command");
    sessions.push_back(std::move(one));
  }
  facts["sessions"] = std::move(sessions);
  facts.erase("project");
  return std::move(facts);
}

constexpr std::array kTools{
    TranscriptTool{"save_current_session", "Save this session",
                   "Archive the session that is calling into one file (or a gist) that gives every byte of it back.", "archive",
                   kSaveArguments, kSaved, kSavedOfStore, save_where, storage_backend},
    TranscriptTool{"restore_session", "Restore a session",
                   "Make a session out of an archive, as a copy with ids of its own in the current project. The answer has the "
                   "command that resumes it.",
                   "restore", kRestoreArguments, kCopied, kRestoredToStore, refuse_standard_input},
    TranscriptTool{"clone_session", "Clone a session",
                   "Make a second session with the whole history of the first, which is not touched. The answer has the command "
                   "that resumes it.",
                   "clone", kCloneArguments, kCopied},
    TranscriptTool{"delete_session", "Delete a session",
                   "Delete a session and all that belongs to it, after a verified backup. Never the session that is calling.",
                   "delete", kDeleteArguments, kDeleted},
    TranscriptTool{"move_session", "Move a session",
                   "Move a session to another project; it keeps its id. Never the session that is calling.", "move",
                   kMoveArguments, kMoved},
    TranscriptTool{"session_lineage", "Family of a session",
                   "Where a session came from and what came of it, also when its files are gone. nodes is empty when nothing is "
                   "known.",
                   "lineage", kTellingArguments, kFamily},
    TranscriptTool{
        "get_session_info", "About a session",
        "Id, title, project, files, state, family, and what a session used. Without an id: the session that is calling.", "info",
        kTellingArguments, kInfo},
    TranscriptTool{"save_session_to_gist",
                   "Save a session to a gist",
                   "Upload the whole session (prompts, answers, tool output, subagents) to a GitHub gist. A secret gist is "
                   "unlisted, not private: say so to the person before calling.",
                   "archive",
                   kGistArguments,
                   kSavedToGist,
                   {},
                   save_to_gist,
                   gist_id},
    TranscriptTool{.name = "search_sessions",
                   .title = "Search past sessions",
                   .description =
                       "Find earlier work: words, word*, \"a phrase\", -without, or code as it stands (foo_bar, src/a.cpp, "
                       "E0277), in everything people, models and tools said, in every project. Answers with the places, "
                       "and the command that resumes each session.",
                   .operation = "search",
                   .arguments = kSearchArguments,
                   .result = kFound,
                   .adapt = leave_caller_out,
                   .more = exclude_current,
                   .only_looks = true},
    TranscriptTool{.name = "list_recent_sessions",
                   .title = "Recent sessions",
                   .description = "Transcripts of Claude Code and Codex, newest first, with the command that resumes each.",
                   .operation = "list",
                   .arguments = kRecentArguments,
                   .result = kRecent,
                   .adapt = list_all,
                   .answer = recent_answer,
                   .only_looks = true},
    TranscriptTool{.name = "get_session_detail",
                   .title = "One session in detail",
                   .description = "How a session began, how it ended, and where in it something was said.",
                   .operation = "detail",
                   .arguments = kDetailArguments,
                   .result = kDetail,
                   .only_looks = true}};

JsonObject input_schema(const TranscriptTool& tool, const operations::Operation& operation) {
  JsonObject properties;
  JsonArray required;
  for (const ToolArgument& each : tool.arguments) {
    operations::Parameter parameter = *operations::find(operation.parameters, each.parameter);
    if (each.single) parameter.type = operations::Parameter::Type::text;
    if (each.fallback > 0) parameter.most = kMostFound;
    JsonObject schema = argument::schema_of(parameter);
    if (each.fallback > 0) schema["default"] = each.fallback;
    if (!each.about.empty()) schema["description"] = each.about;
    if (each.reversed) schema["default"] = true;
    properties[each.name] = std::move(schema);
    if (each.required) required.emplace_back(each.name);
  }
  if (tool.more)
    for (const auto& each : tool.more()) properties.insert(each);
  JsonObject schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

// How this tool calls a parameter; one that it has no argument for is called by its own name.
std::string spelled(const TranscriptTool& tool, std::string_view parameter) {
  for (const ToolArgument& each : tool.arguments)
    if (each.parameter == parameter) return std::string(each.name);
  return std::string(parameter);
}

Result<JsonObject> perform(const TranscriptTool& tool, const operations::Operation& operation, CallContext& call,
                           const JsonObject& arguments) {
  Given given;
  for (const ToolArgument& each : tool.arguments) {
    const Json* value = find(arguments, each.name);
    if (each.reversed)
      given.set(each.parameter, !(value && value->is_bool() ? value->get_bool() : true));
    else if (value && !(value->is_string() && value->get_string().empty()))
      given.set(each.parameter, *value);
  }
  // Who may not touch the transcripts ends nothing of theirs either.
  if (!tool.only_looks && call.keeper()) call.recover();
  if (tool.adapt) HF_CHECK(tool.adapt(call, arguments, given));
  HF_TRY(operations::Facts facts, operation.run(call, given));
  return tool.answer ? tool.answer(std::move(facts)) : std::move(facts);
}

}  // namespace

Result<void> add_transcript_tools(mcp::Server& server, const session::SharedStore& stores, const CallRoom& room) {
  for (const TranscriptTool& each : kTools) {
    const operations::Operation& operation = *operations::find_operation(each.operation);
    mcp::Tool tool;
    tool.name = each.name;
    tool.title = each.title;
    tool.description = each.description;
    tool.input_schema = input_schema(each, operation);
    tool.output_schema =
        argument::result_with({{each.result.begin(), each.result.end()}, {each.of_store.begin(), each.of_store.end()}});
    tool.annotations = {{"readOnlyHint", operation.effect == operations::Effect::reads},
                        {"destructiveHint", operation.effect == operations::Effect::removes},
                        {"openWorldHint", operation.reaches_out}};
    tool.unknown = mcp::Tool::Unknown::refuse;
    tool.argument_error = exit_word(ErrorKind::invalid);
    tool.shows = {{"", std::string(each.operation)}};
    tool.starts_programs = starts_programs(tool.name);
    tool.handler = [&stores, &room, &each, &operation](mcp::Call& call) -> mcp::ToolReply {
      session::StoreView store(stores, call.caller());
      CallContext context(call, store, room);
      Result<JsonObject> answer = perform(each, operation, context, call.arguments());
      const auto spell = [&each](std::string_view name) { return spelled(each, name); };
      const auto& notes = context.recovered().notes;
      if (answer) {
        if (!notes.empty()) (*answer)["recovered"] = to_json_array(notes);
        if (const auto warnings = answer->find("warnings"); warnings != answer->end() && warnings->value().is_array())
          for (Json& warning : warnings->value().get_array())
            if (warning.is_string()) warning = operations::in_spelling_of(view(warning.get_string()), spell);
        return mcp::ToolResult::state(std::move(*answer));
      }
      Error error = std::move(answer).error();
      for (const std::string& note : notes) error.hint += (error.hint.empty() ? "" : "; ") + note;
      operations::put_in_spelling_of(error, spell);
      error.code = exit_word(error.kind);
      return mcp::ToolResult::failure(error);
    };
    HF_CHECK(server.add_tool(std::move(tool)));
  }
  return {};
}

}  // namespace holdfast::tools
