// What a file is, by where it lies (transcript-archive §1.3).

#include "base/ids.h"
#include "kinds/transcripts/home/inventory.h"
#include "kinds/transcripts/products/codex/codex_file_name.h"

#include <array>

namespace holdfast::transcripts {
namespace {

constexpr std::array<std::string_view, 17> kArtifactNames = {
    "main_transcript", "flat_agent", "nested_agent", "agent_metadata", "workflow_journal", "workflow_run", "tool_result",
    "session_memory",  "plan",       "todo",         "task",           "task_metadata",    "task_lock",    "session_env",
    "file_history",    "debug_log",  "other"};
static_assert(kArtifactNames.size() == static_cast<std::size_t>(ArtifactKind::other) + 1);

using Parts = std::vector<std::string_view>;

// Empty for a path that could not be one of ours.
Parts parts_of(std::string_view path) {
  Parts parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == ".." || part.contains('\0')) return {};
    parts.push_back(part);
    begin = end + 1;
  }
  return parts;
}

bool is_between(std::string_view name, std::string_view prefix, std::string_view suffix) {
  return name.size() > prefix.size() + suffix.size() && name.starts_with(prefix) && name.ends_with(suffix);
}

bool is_session(std::string_view name, const SessionPlace& place) {
  return place.session_id.empty() ? is_uuid(name) : name == place.session_id;
}

bool is_session_file(std::string_view name, std::string_view suffix, const SessionPlace& place) {
  return name.ends_with(suffix) && is_session(name.substr(0, name.size() - suffix.size()), place);
}

ArtifactKind kind_in_subagents(const Parts& below) {
  const std::string_view name = below.back();
  if (is_between(name, "agent-", ".jsonl")) return ArtifactKind::nested_agent;
  if (is_between(name, "agent-", ".meta.json")) return ArtifactKind::agent_metadata;
  const bool in_run = below.size() == 4 && below[1] == "workflows" && below[2].starts_with("wf_");
  return in_run && name == "journal.jsonl" ? ArtifactKind::workflow_journal : ArtifactKind::other;
}

// `below` are the parts behind <sid>/.
ArtifactKind kind_in_session_folder(const Parts& below) {
  const std::size_t depth = below.size();
  if (depth < 2) return ArtifactKind::other;
  if (below[0] == "subagents") return kind_in_subagents(below);
  if (below[0] == "workflows") {
    const bool run = depth == 2 && is_between(below[1], "wf_", ".json");
    const bool script = depth == 3 && below[1] == "scripts";
    return run || script ? ArtifactKind::workflow_run : ArtifactKind::other;
  }
  if (below[0] == "tool-results" && depth <= 3) return ArtifactKind::tool_result;
  if (below[0] == "session-memory" && depth == 2 && below[1] == "summary.md") return ArtifactKind::session_memory;
  return ArtifactKind::other;
}

std::optional<ArtifactKind> kind_in_project(const Parts& parts, const SessionPlace& place) {
  if (parts.size() < 3 || (!place.project_folder.empty() && parts[1] != place.project_folder)) return std::nullopt;
  if (parts.size() == 3) {
    if (is_session_file(parts[2], ".jsonl", place)) return ArtifactKind::main_transcript;
    if (is_between(parts[2], "agent-", ".jsonl")) return ArtifactKind::flat_agent;
    return std::nullopt;
  }
  if (!is_session(parts[2], place)) return std::nullopt;
  return kind_in_session_folder(Parts(parts.begin() + 3, parts.end()));
}

ArtifactKind kind_of_task(std::string_view name) {
  if (name == ".lock") return ArtifactKind::task_lock;
  if (name == ".highwatermark") return ArtifactKind::task_metadata;
  return !name.starts_with('.') && name.ends_with(".json") ? ArtifactKind::task : ArtifactKind::other;
}

// todos/<sid>-agent-<aid>.json
bool is_todo(std::string_view name, const SessionPlace& place) {
  const std::size_t id = place.session_id.empty() ? kUuidLength : place.session_id.size();
  return name.size() > id && is_session(name.substr(0, id), place) && is_between(name.substr(id), "-agent-", ".json");
}

bool is_rollout(std::string_view path, const SessionPlace& place) {
  const auto rollout = codex_file_of(path);
  return rollout && is_session(rollout->id, place);
}

}  // namespace

std::string_view name_of(ArtifactKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index < kArtifactNames.size() ? kArtifactNames[index] : kArtifactNames.back();
}

bool is_line_file(ArtifactKind kind) {
  return kind == ArtifactKind::main_transcript || kind == ArtifactKind::flat_agent || kind == ArtifactKind::nested_agent ||
         kind == ArtifactKind::workflow_journal;
}

std::optional<ArtifactKind> kind_of_path(std::string_view path, const SessionPlace& place) {
  const Parts parts = parts_of(path);
  if (parts.size() < 2) return std::nullopt;
  const std::string_view area = parts[0];
  const std::size_t depth = parts.size();
  if (area == "projects") return kind_in_project(parts, place);
  // A session of Codex has no project folder; one of Claude Code never lies there.
  if (area == "sessions" || area == "archived_sessions")
    return place.project_folder.empty() && is_rollout(path, place) ? std::optional(ArtifactKind::main_transcript) : std::nullopt;
  if (depth == 2) {
    if (area == "plans" && is_between(parts[1], "", ".md")) return ArtifactKind::plan;
    if (area == "todos" && is_todo(parts[1], place)) return ArtifactKind::todo;
    if (area == "debug" && is_session_file(parts[1], ".txt", place)) return ArtifactKind::debug_log;
    return std::nullopt;
  }
  if (!is_session(parts[1], place)) return std::nullopt;
  if (area == "tasks") return depth == 3 ? kind_of_task(parts[2]) : ArtifactKind::other;
  if (area == "session-env") return depth == 3 ? ArtifactKind::session_env : ArtifactKind::other;
  if (area == "file-history") return depth == 3 ? ArtifactKind::file_history : ArtifactKind::other;
  return std::nullopt;
}

}  // namespace holdfast::transcripts
