#include "kinds/transcripts/passages/source_name.h"

#include "base/ids.h"
#include "kinds/transcripts/products/codex/codex_file_name.h"

namespace holdfast::transcripts {
namespace {

constexpr std::string_view kProjectsPlace = "projects/";
constexpr std::string_view kLineEnding = ".jsonl";

// What has text that a person or a model has seen. Metadata, tasks and undo copies are no part of the conversation.
bool can_be_searched(ArtifactKind kind) {
  switch (kind) {
    case ArtifactKind::main_transcript:
    case ArtifactKind::flat_agent:
    case ArtifactKind::nested_agent:
    case ArtifactKind::tool_result:
    case ArtifactKind::session_memory:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<SourceName> source_name(std::string_view key) {
  SourceName name;
  if (key.starts_with(kCodexKeys)) {
    name.codex = true;
    name.path = key.substr(kCodexKeys.size());
    const auto file = codex_file_of(name.path);
    if (!file) return std::nullopt;
    name.session = file->id;
    return name;
  }
  if (!key.starts_with(kClaudeKeys)) return std::nullopt;
  name.path = key.substr(kClaudeKeys.size());
  if (!name.path.starts_with(kProjectsPlace)) return std::nullopt;
  const std::string_view inside = std::string_view(name.path).substr(kProjectsPlace.size());
  const std::size_t slash = inside.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  name.project_folder = inside.substr(0, slash);
  std::string_view session = inside.substr(slash + 1);
  session = session.substr(0, session.find('/'));
  if (session.ends_with(kLineEnding)) session.remove_suffix(kLineEnding.size());
  if (is_uuid(session)) name.session = session;
  const auto kind = kind_of_path(name.path, {name.session, name.project_folder});
  if (!kind || !can_be_searched(*kind)) return std::nullopt;
  name.kind = *kind;
  if (name.session.empty() && name.kind != ArtifactKind::flat_agent) return std::nullopt;
  return name;
}

}  // namespace holdfast::transcripts
