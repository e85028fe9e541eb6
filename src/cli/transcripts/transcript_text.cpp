#include "cli/transcripts/transcript_text.h"

#include "base/run/when.h"
#include "cli/program/progress_bar.h"

#include <fmt/format.h>

#include <array>

namespace holdfast::cli {

using operations::Facts;

namespace {

struct Part {
  std::string_view fact, one, many;
};
constexpr std::array kParts{
    Part{"agent_files", "subagent", "subagents"},
    Part{"agent_metadata", "sidecar", "sidecars"},
    Part{"workflow_files", "workflow file", "workflow files"},
    Part{"plan_files", "plan", "plans"},
    Part{"tool_results", "saved result", "saved results"},
    Part{"todos", "todo list", "todo lists"},
    Part{"session_env", "environment script", "environment scripts"},
    Part{"tasks", "task file", "task files"},
    Part{"session_memory", "memory", "memories"},
    Part{"debug_log", "debug log", "debug logs"},
    Part{"file_history", "file version", "file versions"},
    Part{"other", "other file", "other files"},
};

void add_paths(NamedLines& lines, const Facts& facts, bool with_samples) {
  const JsonObject* rewritten = find_object(facts, "rewritten");
  if (!rewritten) return;
  if (const std::int64_t paths = number_in(*rewritten, "paths"); paths > 0)
    lines.add("paths", fmt::format("{} translated", paths));
  if (with_samples) lines.add("", *rewritten, "samples");
}

std::string title_of(const Facts& facts) {
  return fmt::format("{} '{}'", text_in(facts, "kind"), text_in(facts, "title"));
}

}  // namespace

std::int64_t number_in(const Facts& facts, std::string_view fact) {
  return find_int(facts, fact).value_or(0);
}

bool is_true(const Facts& facts, std::string_view fact) {
  return find_bool(facts, fact).value_or(false);
}

Millis time_in(const Facts& facts, std::string_view fact) {
  return parse_when(text_in(facts, fact), 0).value_or(0);
}

std::string size_in(const Facts& facts, std::string_view fact) {
  return size_text(static_cast<std::uint64_t>(number_in(facts, fact)));
}

void NamedLines::add(std::string_view name, std::string_view value) {
  if (!value.empty()) text_ += fmt::format("{} {}\n", terminal_.soft(fmt::format("{:<9}", name)), harmless(value, true));
}

void NamedLines::add(std::string_view name, const Facts& facts, std::string_view fact) {
  if (const JsonArray* several = find_array(facts, fact)) {
    for (const Json& each : *several)
      if (each.is_string()) add(name, view(each.get_string()));
  } else {
    add(name, text_in(facts, fact));
  }
}

std::string parts_text(const Facts& facts, std::string_view ending) {
  std::string text;
  for (const Part& part : kParts) {
    const std::string name = std::string(part.fact) + std::string(ending);
    const std::int64_t count = is_true(facts, name) ? 1 : number_in(facts, name);
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, count == 1 ? part.one : part.many);
  }
  return text;
}

std::string notes_text(const JsonArray& notes) {
  std::string out;
  for (const Json& each : notes)
    out += fmt::format("note {}: {} ({}, {})\n", text_in(each.get_object(), "id"),
                       harmless(text_in(each.get_object(), "text"), true), harmless(text_in(each.get_object(), "by"), true),
                       text_in(each.get_object(), "at"));
  return out;
}

std::string copy_text(const Facts& facts, const Terminal& terminal, bool verbose) {
  NamedLines lines(terminal);
  const bool trial = is_true(facts, "was_dry_run");
  lines.add(trial ? "would be" : "session", facts, "new_session_id");
  if (text_in(facts, "new_session_id") != text_in(facts, "original_session_id"))
    lines.add("copy of", facts, "original_session_id");
  lines.add("title", facts, "custom_title");
  lines.add("project", facts, "project_path");
  lines.add("from", facts, "source_machine_id");
  lines.add("mode", is_true(facts, "was_in_place") ? "in place" : "copy");
  std::string records = std::to_string(number_in(facts, "main_records_restored"));
  if (const std::int64_t of_agents = number_in(facts, "agent_records_restored"); of_agents > 0)
    records += fmt::format(", of subagents {}", of_agents);
  lines.add("records", records);
  lines.add("with", parts_text(facts, "_restored"));
  add_paths(lines, facts, verbose || trial);
  if (verbose) {
    lines.add("file", facts, "main_session_file");
    lines.add("", facts, "agent_files");
  }
  lines.add("left out", facts, "left_out");
  if (!trial) lines.add("resume", facts, "resume_command");
  return lines.take();
}

std::string move_text(const Facts& facts, const Terminal& terminal) {
  NamedLines lines(terminal);
  const bool trial = is_true(facts, "was_dry_run");
  lines.add(trial ? "would go" : "session", facts, "session_id");
  lines.add("title", facts, "custom_title");
  lines.add("from", facts, "source_project");
  lines.add("to", facts, "target_project");
  lines.add("files", fmt::format("{} moved", number_in(facts, "files_moved")));
  lines.add("with", parts_text(facts, "_moved"));
  add_paths(lines, facts, trial);
  if (is_true(facts, "was_terminated")) lines.add("ended", "the client that had it open");
  lines.add("backup", facts, "backup_path");
  lines.add("undo", facts, "undo_command");
  if (!trial) lines.add("resume", facts, "resume_command");
  return lines.take();
}

std::string delete_text(const Facts& facts, const Terminal& terminal, bool verbose) {
  NamedLines lines(terminal);
  const bool trial = is_true(facts, "was_dry_run");
  lines.add(trial ? "would go" : "deleted", facts, "session_id");
  lines.add("title", facts, "custom_title");
  lines.add("project", facts, "project_path");
  lines.add("files", fmt::format("{}, {}", number_in(facts, "files_deleted"),
                                 size_text(static_cast<std::uint64_t>(number_in(facts, "size_freed_bytes")))));
  lines.add("with", parts_text(facts, "_deleted"));
  if (verbose || trial) lines.add("", facts, "deleted_files");
  lines.add("kept", facts, "kept");
  if (is_true(facts, "was_terminated")) lines.add("ended", "the client that had it open");
  lines.add("backup", facts, "backup_path");
  lines.add("undo", facts, "undo_command");
  return lines.take();
}

std::string relocate_text(const Facts& facts, const Terminal& terminal) {
  Table table({{"ID"}, {"FILES", true}, {"PATHS", true}, {"FROM"}, {"TO"}, {"TITLE", false, true}});
  const JsonArray* moved = find_array(facts, "moved");
  for (const Json& each : moved ? *moved : JsonArray()) {
    const Facts& one = each.get_object();
    const JsonObject* rewritten = find_object(one, "rewritten");
    table.add({text_in(one, "session_id"), std::to_string(number_in(one, "files_moved")),
               std::to_string(rewritten ? number_in(*rewritten, "paths") : 0), text_in(one, "source_project"),
               text_in(one, "target_project"), text_in(one, "custom_title")});
  }
  std::string out = moved && !moved->empty() ? table.text(terminal) : "";
  const JsonArray* failed = find_array(facts, "failed");
  for (const Json& each : failed ? *failed : JsonArray())
    out += fmt::format("{} stays: {}\n", text_in(each.get_object(), "session_id"),
                       harmless(text_in(each.get_object(), "message"), true));
  return out;
}

std::string archive_text(const Facts& facts, const Terminal& terminal, bool verbose) {
  NamedLines lines(terminal);
  lines.add("archive", facts, "file_path");
  lines.add("session", facts, "session_id");
  lines.add("title", facts, "custom_title");
  lines.add("project", facts, "project_path");
  lines.add("format", fmt::format("{} {}, {}{}", text_in(facts, "version"), text_in(facts, "format"),
                                  size_text(static_cast<std::uint64_t>(number_in(facts, "size_bytes"))),
                                  find_bool(facts, "byte_true").value_or(true) ? "" : ", not byte-true"));
  lines.add("records",
            fmt::format("{}, of subagents {}", number_in(facts, "session_records"), number_in(facts, "agent_records")));
  lines.add("files", std::to_string(number_in(facts, "file_count")));
  const JsonArray* files = find_array(facts, "files");
  if (verbose && files)
    for (const Json& each : *files)
      lines.add("", fmt::format("{} ({} bytes)", text_in(each.get_object(), "filename"), number_in(each.get_object(), "bytes")));
  if (const std::int64_t masked = number_in(facts, "redacted"); masked > 0)
    lines.add("masked", fmt::format("{} credentials", masked));
  lines.add("left out", facts, "left_out");
  std::string out = lines.take();
  if (const std::string url = text_in(facts, "gist_url"); !url.empty()) out += url + "\n";
  if (const std::string command = text_in(facts, "restore_command"); !command.empty())
    out += fmt::format("{} {}\n", terminal.soft("restore  "), command);
  return out;
}

std::string kept_archive_text(const Facts& facts, const Terminal& terminal) {
  return fmt::format("{}\n{}\n", text_in(facts, "output"),
                     terminal.soft(fmt::format("{}, {} entries, {}", harmless(title_of(facts), true), number_in(facts, "entries"),
                                               size_text(static_cast<std::uint64_t>(number_in(facts, "bytes"))))));
}

std::string kept_restore_text(const Facts& facts, const Terminal& terminal) {
  const bool trial = is_true(facts, "dry_run");
  const std::string id = text_in(facts, "session_id");
  std::string out = fmt::format("{} {} '{}', {} entries\n",
                                is_true(facts, "unchanged") ? "is there already:"
                                : trial                     ? "would restore"
                                                            : "restored",
                                id, harmless(text_in(facts, "title"), true), number_in(facts, "entries"));
  if (!trial) out += fmt::format("{} holdfast sessions show {}\n", terminal.soft("read it  "), id);
  return out;
}

}  // namespace holdfast::cli
