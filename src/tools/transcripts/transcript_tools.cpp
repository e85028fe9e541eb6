#include "tools/transcripts/transcript_tools.h"

#include "base/files/file.h"
#include "base/ids.h"
#include "catalogue/copies.h"
#include "catalogue/files.h"
#include "kinds/transcripts/products/claude/project_folder.h"
#include "kinds/transcripts/reading/session_info.h"
#include "tools/argument_schema.h"
#include "tools/argument_words.h"
#include "tools/program_starters.h"
#include "tools/transcripts/transcript_call.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <unistd.h>

#include <filesystem>

namespace holdfast::tools {

namespace {

using Answer = Result<JsonObject>;

JsonObject flag_with_default(std::string_view description, bool fallback = false) {
  return {{"type", "boolean"}, {"default", fallback}, {"description", description}};
}

const JsonObject kSourceProject = argument::text("folder of the project to search in, when an id exists in several");
const JsonObject kTranslatePaths = flag_with_default("translate the paths of the old project to the new one", true);

// "20261115-083000", for names.
std::string stamp(Millis time) {
  return fmt::format("{:%Y%m%d-%H%M%S}", fmt::gmtime(static_cast<std::time_t>(time / 1000)));
}

Answer saved_to_gist(TranscriptCall& call, const catalogue::Found& found, const std::string& gist_id,
                     const transcripts::RemoteOptions& remote) {
  HF_TRY(const auto files, catalogue::files_of(call.keeper(), found, call.progress()));
  HF_TRY(const auto done, transcripts::upload(*files.keeper, files.session, "gist://" + gist_id, {}, remote, call.progress()));
  JsonObject fields = to_json(done.archived);
  fields["gist_url"] = done.gist.gist_url;
  fields["gist_id"] = done.gist.gist_id;
  fields["restore_command"] = fmt::format("holdfast restore {}", transcripts::shell_quoted(done.archived.where));
  return fields;
}

Answer save_current(TranscriptCall& call) {
  HF_TRY(const auto found, call.session("session_id"));
  if (call.text("storage_backend") == "gist") {
    if (!call.text("output_path").empty())
      return fail(ErrorKind::invalid, "a gist has no output_path", "leave out output_path or storage_backend");
    return saved_to_gist(call, found, {}, call.options().remote);
  }
  transcripts::ArchiveOptions options;
  std::string path = call.text("output_path");
  if (path.empty()) {
    HF_CHECK(make_private_folder(call.options().archive_folder));
    path = fmt::format("{}/{}-{}{}", call.options().archive_folder, found.id(), stamp(call.keeper().now()),
                       call.text("format") == "json" ? ".json" : ".json.zst");
  } else {
    HF_TRY(path, call.absolute(path));
  }
  HF_TRY(options.format, transcripts::archive_format(path, call.text("format")));
  HF_TRY(const auto files, catalogue::files_of(call.keeper(), found, call.progress()));
  HF_TRY(auto archived, files.keeper->write(files.session, path, options, call.progress()));
  call.keeper().remember(archived, path);
  return to_json(archived);
}

// Where a copy goes that nobody placed: the caller's project, else where it was, if that is still there.
Result<std::string> folder_for_copy(TranscriptCall& call, const std::string& original) {
  HF_TRY(auto project, call.project());
  if (project) return std::move(*project);
  std::error_code ignored;
  if (!original.empty() && std::filesystem::is_directory(original, ignored)) return original;
  return fail(ErrorKind::invalid, "it is not known which project to restore into", "start the server with --root DIR");
}

Answer restore(TranscriptCall& call) {
  std::string place = call.text("archive_path");
  // Standard input is the protocol's.
  if (place == "-" || place.empty())
    return fail(ErrorKind::invalid,
                "archive_path must be a file, gist://ID, s3://BUCKET/KEY or the id of a session that is gone");
  if (!transcripts::is_remote(place) && !transcripts::looks_like_id(place)) {
    HF_TRY(place, call.absolute(place));
  }
  const transcripts::Progress progress = call.progress();
  HF_TRY(const auto copy, catalogue::copy_at_place(call.keeper(), place));
  HF_TRY(auto archive, copy ? catalogue::open_copy(call.keeper(), *copy, progress)
                            : transcripts::open_archive(call.keeper(), place, call.options().remote, progress));
  transcripts::RestoreOptions options;
  options.level = call.flag("translate_paths", true) ? transcripts::PathLevel::fields : transcripts::PathLevel::none;
  HF_TRY(auto project, call.project());
  if (project) {
    options.current_folder = std::move(*project);
  } else {
    HF_TRY(const auto reader, transcripts::ArchiveReader::open(Fd(::dup(archive.file.get()))));
    HF_TRY(options.current_folder, folder_for_copy(call, reader.header().original_project_path));
  }
  options.trusted = archive.trusted;
  const std::vector<std::string> left_out = std::move(archive.left_out);
  HF_TRY(auto result, call.keeper().restore(std::move(archive.file), archive.origin, options, progress));
  result.left_out.insert(result.left_out.end(), left_out.begin(), left_out.end());
  return to_json(result);
}

Answer clone(TranscriptCall& call) {
  HF_TRY(const auto found, call.session("source_session_id"));
  transcripts::CloneOptions options;
  options.level = call.flag("translate_paths", true) ? transcripts::PathLevel::fields : transcripts::PathLevel::none;
  // Where a kept one goes whose project is not known.
  HF_TRY(const auto here, call.project());
  HF_TRY(const auto result, catalogue::clone(call.keeper(), found, options, here.value_or(""), call.progress()));
  return to_json(result);
}

Answer erase(TranscriptCall& call) {
  const auto session = catalogue::on_disk(call.session("session_id"));
  transcripts::EraseOptions options;
  options.force = call.flag("force");
  options.terminate = call.flag("terminate_running");
  options.no_backup = call.flag("no_backup");
  options.dry_run = call.flag("dry_run");
  options.cross_session_artifacts = call.maybe_flag("delete_cross_session_artifacts");
  options.caller_sessions = call.caller_sessions();
  HF_TRY(const auto result,
         session ? call.keeper().erase(*session, options, call.progress())
                 : call.keeper().finished_erase(call.recovered(), call.text("session_id"), options, session.error()));
  return to_json(result);
}

Answer move(TranscriptCall& call) {
  HF_TRY(const auto session, catalogue::on_disk(call.session("session_id")));
  transcripts::MoveOptions options;
  HF_TRY(auto target, call.folder("target_project"));
  if (target) {
    HF_TRY(target, transcripts::existing_project(*target));
  }
  if (target) {
    options.target_project = *target;
  } else {
    HF_TRY(const auto project, call.project());
    if (!project) return fail(ErrorKind::invalid, "it is not known where to", "give target_project");
    options.target_project = *project;
  }
  options.force = call.flag("force");
  options.terminate = call.flag("terminate_running");
  options.no_backup = call.flag("no_backup");
  options.dry_run = call.flag("dry_run");
  options.caller_sessions = call.caller_sessions();
  HF_TRY(const auto result, call.keeper().move(session, options, call.progress()));
  return to_json(result);
}

// A session whose files are gone has its family still.
Answer lineage(TranscriptCall& call) {
  std::string id = call.text("session_id");
  auto session = call.session("session_id");
  if (session)
    id = session->id();
  else if (id.empty() || session.error().kind != ErrorKind::not_found)
    return fail(std::move(session).error());
  else if (!is_uuid(id)) {
    HF_TRY(id, call.keeper().remembered(id, session.error()));
  }
  HF_TRY(const auto tree, call.keeper().lineage(id));
  if (tree) return to_json(*tree);
  if (!session) return fail(std::move(session).error());
  return JsonObject{{"root_session_id", nullptr}, {"queried_session_id", id}, {"nodes", JsonObject{}}};
}

Answer info(TranscriptCall& call) {
  HF_TRY(const auto found, call.session("session_id"));
  HF_TRY(const auto info, catalogue::describe(call.keeper(), found, call.progress()));
  return to_json(info);
}

Answer save_to_gist(TranscriptCall& call) {
  HF_TRY(const auto found, call.session("session_id"));
  transcripts::RemoteOptions remote = call.options().remote;
  remote.gist.is_public = call.text("visibility") == "public";
  if (const std::string description = call.text("description"); !description.empty()) remote.gist.description = description;
  return saved_to_gist(call, found, call.text("gist_id"), remote);
}

struct TranscriptTool {
  std::string name, title, description;
  JsonObject properties;
  std::vector<std::string_view> required;
  JsonObject output;
  bool reads_only = false, destroys = false, open_world = false;
  Answer (*run)(TranscriptCall&);
};

JsonObject removal_properties() {
  return {{"session_id", argument::text("id of the session, or a unique start of it")},
          {"force", flag_with_default("also a session that the client made itself")},
          {"terminate_running", flag_with_default("end the client that has it open")},
          {"no_backup", flag_with_default("keep no backup")},
          {"dry_run", flag_with_default("only say what would happen")},
          {"source_project", kSourceProject}};
}

std::vector<TranscriptTool> transcript_tools() {
  const JsonObject copy = result_with({"new_session_id", "original_session_id", "project_path", "was_in_place",
                                       "main_session_file", "agent_files", "resume_command", "paths_translated"});
  JsonObject move_properties = removal_properties();
  move_properties["target_project"] = argument::text("folder it goes to; default: the current project");
  JsonObject delete_properties = removal_properties();
  delete_properties["delete_cross_session_artifacts"] = {
      {"type", "boolean"},
      {"description", "only when the id exists in several projects, and then needed: also what those sessions share"}};
  return {
      {"save_current_session",
       "Save this session",
       "Archive the session that is calling into one file (or a gist) that gives every byte of it back.",
       {{"session_id", argument::text("another one; default: the session that is calling")},
        {"output_path", argument::text("path ending in .json or .json.zst; default: holdfast's own folder of archives")},
        {"format", argument::choice({"json", "zst"}, "default: by the name, else zst")},
        {"storage_backend", JsonObject{{"type", "string"}, {"enum", JsonArray{"local", "gist"}}, {"default", "local"}}}},
       {},
       result_with({"file_path", "session_id", "format", "size_mb", "archived_at", "session_records", "agent_records",
                    "file_count", "files", "custom_title"}),
       false,
       false,
       true,
       save_current},
      {"restore_session",
       "Restore a session",
       "Make a session out of an archive, as a copy with ids of its own in the current project. The answer has the command that "
       "resumes it.",
       {{"archive_path", argument::text("a file, gist://ID, s3://BUCKET/KEY, or the id of a deleted session")},
        {"translate_paths", kTranslatePaths}},
       {"archive_path"},
       copy,
       false,
       false,
       true,
       restore},
      {"clone_session",
       "Clone a session",
       "Make a second session with the whole history of the first, which is not touched. The answer has the command that resumes "
       "it.",
       {{"source_session_id", argument::text("id, or a unique start of it; default: the session that is calling")},
        {"translate_paths", kTranslatePaths},
        {"source_project", kSourceProject}},
       {},
       copy,
       false,
       false,
       false,
       clone},
      {"delete_session",
       "Delete a session",
       "Delete a session and all that belongs to it, after a verified backup. Never the session that is calling.",
       std::move(delete_properties),
       {"session_id"},
       result_with({"session_id", "was_dry_run", "success", "error_message", "backup_path", "files_deleted", "size_freed_bytes",
                    "deleted_files", "directories_removed", "duration_ms", "deleted_at"}),
       false,
       true,
       false,
       erase},
      {"move_session",
       "Move a session",
       "Move a session to another project; it keeps its id. Never the session that is calling.",
       std::move(move_properties),
       {"session_id"},
       result_with(
           {"session_id", "source_project", "target_project", "files_moved", "resume_command", "was_dry_run", "warnings"}),
       false,
       true,
       false,
       move},
      {"session_lineage",
       "Family of a session",
       "Where a session came from and what came of it, also when its files are gone. nodes is empty when nothing is known.",
       {{"session_id", argument::text("default: the session that is calling")}, {"source_project", kSourceProject}},
       {},
       result_with({"root_session_id", "queried_session_id", "nodes"}),
       true,
       false,
       false,
       lineage},
      {"get_session_info",
       "About a session",
       "Id, title, project, files, state, family, and what a session used. Without an id: the session that is calling.",
       {{"session_id", argument::text("default: the session that is calling")}, {"source_project", kSourceProject}},
       {},
       result_with({"session_id", "title", "project_path", "state", "session_file", "files", "usage", "resume_command"}),
       true,
       false,
       false,
       info},
      {"save_session_to_gist",
       "Save a session to a gist",
       "Upload the whole session (prompts, answers, tool output, subagents) to a GitHub gist. A secret gist is unlisted, not "
       "private: say so to the person before calling.",
       {{"session_id", argument::text("default: the session that is calling")},
        {"gist_id", argument::text("a gist whose former archive is replaced; default: a new one")},
        {"visibility", JsonObject{{"type", "string"}, {"enum", JsonArray{"secret", "public"}}, {"default", "secret"}}},
        {"description", argument::text("of the gist")},
        {"source_project", kSourceProject}},
       {},
       result_with({"gist_url", "gist_id", "session_id", "format", "size_mb", "session_records", "agent_records", "file_count",
                    "restore_command"}),
       false,
       false,
       true,
       save_to_gist}};
}

}  // namespace

Result<void> add_transcript_tools(mcp::Server& server, const session::SharedStore& stores, const transcripts::Keeper& keeper,
                                  const ProjectRoot& root, const TranscriptToolOptions& options) {
  for (TranscriptTool& each : transcript_tools()) {
    mcp::Tool tool;
    tool.name = each.name;
    tool.title = each.title;
    tool.description = each.description;
    tool.input_schema = {{"type", "object"}, {"properties", std::move(each.properties)}};
    if (!each.required.empty()) {
      JsonArray required;
      for (std::string_view name : each.required) required.emplace_back(name);
      tool.input_schema["required"] = std::move(required);
    }
    tool.output_schema = std::move(each.output);
    tool.annotations = {
        {"readOnlyHint", each.reads_only}, {"destructiveHint", each.destroys}, {"openWorldHint", each.open_world}};
    tool.unknown = mcp::Tool::Unknown::refuse;
    tool.argument_error = exit_word(ErrorKind::invalid);
    tool.starts_programs = starts_programs(tool.name);
    tool.handler = [&stores, &keeper, &root, &options, run = each.run](mcp::Call& call) -> mcp::ToolReply {
      session::StoreView store(stores, call.caller());
      TranscriptCall transcript_call(call, store, keeper, root, options);
      Answer answer = [&]() -> Answer {
        HF_CHECK(transcript_call.allow());
        transcript_call.recover();
        return run(transcript_call);
      }();
      const auto& notes = transcript_call.recovered().notes;
      if (answer) {
        if (!notes.empty()) (*answer)["recovered"] = to_json_array(notes);
        put_in_words_of_arguments(*answer);
        return mcp::ToolResult::state(std::move(*answer));
      }
      Error error = std::move(answer).error();
      for (const std::string& note : notes) error.hint += (error.hint.empty() ? "" : "; ") + note;
      put_in_words_of_arguments(error);
      error.code = exit_word(error.kind);
      return mcp::ToolResult::failure(error);
    };
    HF_CHECK(server.add_tool(std::move(tool)));
  }
  return {};
}

}  // namespace holdfast::tools
