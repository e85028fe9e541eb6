#include "kinds/transcripts/archive/archive_slots.h"

#include "base/text/text.h"
#include "kinds/transcripts/products/claude/slugs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::transcripts {
namespace {

constexpr std::size_t kMaxPathBytes = 4095;  // PATH_MAX
constexpr std::size_t kMaxNameBytes = 255;   // NAME_MAX
constexpr std::size_t kMaxShownBytes = 80;   // of a bad name, in a message
constexpr std::array<std::string_view, 6> kKnownExtensions = {".bin", ".jpg", ".json", ".pdf", ".txt", ".xlsx"};

std::string_view without_affixes(std::string_view text, std::string_view prefix, std::string_view suffix) {
  if (text.size() < prefix.size() + suffix.size() || !text.starts_with(prefix) || !text.ends_with(suffix)) return {};
  return text.substr(prefix.size(), text.size() - prefix.size() - suffix.size());
}

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

// "" for a path without a folder.
std::string_view folder_part(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? std::string_view() : path.substr(0, slash);
}

std::string in_folder(std::string_view folder, std::string name) {
  return folder.empty() ? std::move(name) : std::string(folder) + "/" + name;
}

// The slot this path would have, whether or not its parts are fit to be written.
Slot guess(const Artifact& artifact, const SessionPlace& place) {
  const std::string_view path = artifact.path;
  const std::string_view name = last_part(path);
  const std::string session = place.folder() + "/";
  const std::string_view in_session = path.starts_with(session) ? path.substr(session.size()) : std::string_view();
  const auto slot = [](Holder holder, std::string_view id, std::string_view folder = {}) {
    return Slot{holder, std::string(id), std::string(folder), {}, false};
  };
  const auto below_subagents = [&] { return in_session.starts_with("subagents/") ? in_session.substr(10) : std::string_view(); };
  switch (artifact.kind) {
    case ArtifactKind::main_transcript:
      return slot(Holder::main_session, {});
    case ArtifactKind::flat_agent:
      return slot(Holder::agent_files, without_affixes(name, "agent-", ".jsonl"));
    case ArtifactKind::nested_agent: {
      Slot made = slot(Holder::agent_files, without_affixes(name, "agent-", ".jsonl"), folder_part(below_subagents()));
      made.nested = true;
      return made;
    }
    case ArtifactKind::agent_metadata:
      return slot(Holder::agent_metadata, without_affixes(name, "agent-", ".meta.json"), folder_part(below_subagents()));
    case ArtifactKind::workflow_journal:
      return slot(Holder::workflow_journals, below_subagents());
    case ArtifactKind::workflow_run:
      return slot(Holder::workflow_runs, in_session);
    case ArtifactKind::tool_result: {
      const std::size_t dot = name.rfind('.');
      const std::string_view extension = dot == name.npos ? std::string_view() : name.substr(dot);
      const std::string_view folder =
          folder_part(in_session) == "tool-results" ? std::string_view() : last_part(folder_part(in_session));
      Slot made = folder.empty() ? slot(Holder::tool_results, name.substr(0, dot)) : slot(Holder::tool_result_dirs, name, folder);
      made.extension = extension;
      return is_known_extension(extension) ? made : slot(Holder::extra_files, {});
    }
    case ArtifactKind::session_memory:
      return slot(Holder::session_memory, {});
    case ArtifactKind::plan:
      return slot(Holder::plan_files, without_affixes(name, {}, ".md"));
    case ArtifactKind::todo:
      return slot(Holder::todos, without_affixes(name, place.session_id + "-agent-", ".json"));
    case ArtifactKind::task:
      return slot(Holder::tasks, without_affixes(name, {}, ".json"));
    case ArtifactKind::task_metadata:
      return slot(Holder::task_metadata, name);
    case ArtifactKind::task_lock:
      return slot(Holder::nothing, {});
    case ArtifactKind::session_env:
      return slot(Holder::session_env, name);
    case ArtifactKind::debug_log:
      return slot(Holder::debug_log, {});
    case ArtifactKind::file_history:
    case ArtifactKind::other:
      break;
  }
  return slot(Holder::extra_files, {});
}

std::unexpected<Error> bad_name(std::string_view what, std::string_view name) {
  return fail(ErrorKind::corrupt, fmt::format("the archive names a {} that cannot be a file of a session: \"{}\"", what,
                                              to_valid_utf8(utf8_prefix(name, kMaxShownBytes))));
}

Result<void> check_name(std::string_view what, std::string_view name) {
  if (!is_safe_name(name)) return bad_name(what, name);
  return {};
}

Result<void> check_key(std::string_view what, std::string_view key) {
  if (!is_safe_path(key)) return bad_name(what, key);
  return {};
}

}  // namespace

Slot slot_of(const Artifact& artifact, const SessionPlace& place) {
  Slot slot = guess(artifact, place);
  if (slot.holder == Holder::nothing || slot.holder == Holder::extra_files) return slot;
  // Of Codex the path is in the extension block: it cannot be made from ids.
  if (slot.holder == Holder::main_session) return slot;
  const auto path = path_of(slot, place);
  if (path && *path == artifact.path) return slot;
  return Slot{Holder::extra_files, {}, {}, {}, false};
}

Result<std::string> path_of(const Slot& slot, const SessionPlace& place) {
  const std::string session = place.folder();
  switch (slot.holder) {
    case Holder::main_session:
      return place.transcript();
    case Holder::agent_files:
    case Holder::agent_metadata:
      HF_CHECK(check_name("subagent", slot.id));
      if (!slot.folder.empty()) HF_CHECK(check_key("folder of subagents", slot.folder));
      if (slot.holder == Holder::agent_metadata)
        return session + "/subagents/" + in_folder(slot.folder, "agent-" + slot.id + ".meta.json");
      if (slot.nested) return session + "/subagents/" + in_folder(slot.folder, "agent-" + slot.id + ".jsonl");
      if (!slot.folder.empty()) return bad_name("flat subagent in a folder", slot.folder);
      return "projects/" + place.project_folder + "/agent-" + slot.id + ".jsonl";
    case Holder::workflow_journals:
    case Holder::workflow_runs: {
      HF_CHECK(check_key("workflow file", slot.id));
      const bool journal = slot.holder == Holder::workflow_journals;
      std::string path = session + (journal ? "/subagents/" : "/") + slot.id;
      const auto kind = journal ? ArtifactKind::workflow_journal : ArtifactKind::workflow_run;
      if (kind_of_path(path, place) != kind) return bad_name("workflow file", slot.id);
      return path;
    }
    case Holder::plan_files:
      HF_CHECK(check_name("plan", slot.id));
      return "plans/" + slot.id + ".md";
    case Holder::tool_results:
      HF_CHECK(check_name("tool result", slot.id));
      if (!slot.extension.starts_with('.')) return bad_name("tool result's extension", slot.extension);
      HF_CHECK(check_name("tool result", slot.id + slot.extension));
      return session + "/tool-results/" + slot.id + slot.extension;
    case Holder::tool_result_dirs:
      HF_CHECK(check_name("folder of tool results", slot.folder));
      HF_CHECK(check_name("tool result", slot.id));
      return session + "/tool-results/" + slot.folder + "/" + slot.id;
    case Holder::todos:
      HF_CHECK(check_name("todo list", slot.id));
      return "todos/" + place.session_id + "-agent-" + slot.id + ".json";
    case Holder::session_env:
      HF_CHECK(check_name("session environment file", slot.id));
      return "session-env/" + place.session_id + "/" + slot.id;
    case Holder::tasks:
      HF_CHECK(check_name("task", slot.id));
      if (slot.id.starts_with('.')) return bad_name("task", slot.id);
      return "tasks/" + place.session_id + "/" + slot.id + ".json";
    case Holder::task_metadata:
      HF_CHECK(check_name("task file", slot.id));
      // A lock of another machine's process means nothing here, and a task has a place of its own.
      if (!slot.id.starts_with('.') || slot.id == ".lock") return bad_name("task file", slot.id);
      return "tasks/" + place.session_id + "/" + slot.id;
    case Holder::session_memory:
      return session + "/session-memory/summary.md";
    case Holder::debug_log:
      return "debug/" + place.session_id + ".txt";
    case Holder::extra_files:
    case Holder::nothing:
      break;
  }
  return fail(ErrorKind::internal, "a slot without a path of its own");
}

bool is_safe_path(std::string_view path) {
  if (path.empty() || path.size() > kMaxPathBytes || !is_valid_utf8(path)) return false;
  if (path.contains('\0') || path.contains('\\')) return false;
  if (path.size() >= 2 && path[1] == ':') return false;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == ".." || part.size() > kMaxNameBytes) return false;
    begin = end + 1;
  }
  return true;
}

bool is_known_extension(std::string_view extension) {
  return std::ranges::find(kKnownExtensions, extension) != kKnownExtensions.end();
}

std::string_view agent_type_of(std::string_view agent_id) {
  constexpr std::size_t kFewestDigits = 6;
  const std::size_t hyphen = agent_id.rfind('-');
  if (hyphen == agent_id.npos || hyphen == 0) return {};
  const std::string_view digits = agent_id.substr(hyphen + 1);
  const bool hex = std::ranges::all_of(digits, is_lower_hex);
  return hex && digits.size() >= kFewestDigits ? agent_id.substr(0, hyphen) : std::string_view();
}

}  // namespace holdfast::transcripts
