#include "cli/transcripts/copy_text.h"

#include "cli/program/launch.h"

#include <fmt/format.h>

namespace holdfast::cli {

using transcripts::ArtifactKind;
using transcripts::CopyResult;

namespace {

struct Noun {
  std::string_view one, many;
};

Noun noun_of(ArtifactKind kind) {
  switch (kind) {
    case ArtifactKind::main_transcript:
      return {"transcript", "transcripts"};
    case ArtifactKind::flat_agent:
    case ArtifactKind::nested_agent:
      return {"subagent", "subagents"};
    case ArtifactKind::agent_metadata:
      return {"sidecar", "sidecars"};
    case ArtifactKind::workflow_journal:
      return {"journal", "journals"};
    case ArtifactKind::workflow_run:
      return {"workflow file", "workflow files"};
    case ArtifactKind::tool_result:
      return {"saved result", "saved results"};
    case ArtifactKind::session_memory:
      return {"memory", "memories"};
    case ArtifactKind::plan:
      return {"plan", "plans"};
    case ArtifactKind::todo:
      return {"todo list", "todo lists"};
    case ArtifactKind::task:
    case ArtifactKind::task_metadata:
    case ArtifactKind::task_lock:
      return {"task file", "task files"};
    case ArtifactKind::session_env:
      return {"environment script", "environment scripts"};
    case ArtifactKind::file_history:
      return {"file version", "file versions"};
    case ArtifactKind::debug_log:
      return {"debug log", "debug logs"};
    case ArtifactKind::other:
      return {"other file", "other files"};
  }
  return {"file", "files"};
}

}  // namespace

std::string parts_text(const std::map<ArtifactKind, std::uint64_t>& counts) {
  std::vector<std::pair<Noun, std::uint64_t>> parts;
  for (const auto& [kind, count] : counts) {
    if (kind == ArtifactKind::main_transcript || count == 0) continue;
    const Noun noun = noun_of(kind);
    if (!parts.empty() && parts.back().first.one == noun.one)
      parts.back().second += count;
    else
      parts.emplace_back(noun, count);
  }
  std::string text;
  for (const auto& [noun, count] : parts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, count == 1 ? noun.one : noun.many);
  return text;
}

std::string copy_text(const CopyResult& result, const Terminal& terminal, bool verbose) {
  std::string out;
  auto line = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) out += fmt::format("{} {}\n", terminal.soft(fmt::format("{:<9}", name)), harmless(value, true));
  };
  line(result.was_dry_run ? "would be" : "session", result.new_session_id);
  if (result.new_session_id != result.original_session_id) line("copy of", result.original_session_id);
  line("title", result.custom_title);
  line("project", result.project_path);
  line("from", result.source_machine_id);
  line("mode", result.was_in_place ? "in place" : "copy");
  std::string parts = std::to_string(result.main_records);
  if (result.agent_records > 0) parts += fmt::format(", of subagents {}", result.agent_records);
  line("records", parts);
  line("with", parts_text(result.files));
  if (result.rewritten.paths > 0) line("paths", fmt::format("{} translated", result.rewritten.paths));
  if (verbose || result.was_dry_run)
    for (const std::string& sample : result.rewritten.samples) line("", sample);
  if (verbose) {
    line("file", result.main_session_file);
    for (const std::string& file : result.agent_files) line("", file);
  }
  for (const std::string& each : result.left_out) line("left out", each);
  if (!result.was_dry_run) line("resume", result.resume_command);
  return out;
}

Result<void> finish_copy(Context& context, TranscriptWork& work, std::string_view product, const CopyResult& result) {
  work.progress_done();
  if (context.json)
    print_json(to_json(result));
  else
    print(copy_text(result, context.terminal, context.verbose));
  work.warn(result.warnings);
  if (!context.given.flag("launch") || result.was_dry_run) return {};
  return launch(context, product, result.project_path, result.new_session_id);
}

}  // namespace holdfast::cli
