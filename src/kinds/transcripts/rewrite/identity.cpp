#include "kinds/transcripts/rewrite/identity.h"

#include "base/crypto/hash.h"

#include <algorithm>
#include <array>
#include <set>

namespace holdfast::transcripts {

std::string fresh_uuid(std::string_view new_session, std::string_view old_uuid) {
  Digest digest = hmac_sha256(new_session, old_uuid);
  digest[6] = static_cast<std::uint8_t>(0x40 | (digest[6] & 0x0F));  // version 4
  digest[8] = static_cast<std::uint8_t>(0x80 | (digest[8] & 0x3F));  // its variant
  std::string uuid = to_hex(std::span(digest).first<16>());
  for (const std::size_t hyphen : {8U, 13U, 18U, 23U}) uuid.insert(hyphen, 1, '-');
  return uuid;
}

namespace {

constexpr std::string_view kCloneMark = "-clone-";
constexpr std::string_view kTitleMark = " (clone-";
constexpr std::size_t kSuffixLength = 8;

// <base>-clone-<suffix> for each. Two names with one base (a clone's beside its parent's) must not become one.
std::map<std::string, std::string, std::less<>> clone_names(const std::vector<std::string>& names, const std::string& suffix) {
  std::map<std::string, std::string, std::less<>> renamed;
  std::set<std::string, std::less<>> taken;
  for (const std::string& name : names) {
    if (name.empty() || renamed.contains(name)) continue;
    const std::string plain = std::string(base_of_clone(name)) + std::string(kCloneMark) + suffix;
    std::string unique = plain;
    for (int i = 2; !taken.insert(unique).second; ++i) unique = plain + "-" + std::to_string(i);
    renamed.emplace(name, std::move(unique));
  }
  return renamed;
}

// The text between two affixes.
std::optional<std::string_view> between(std::string_view text, std::string_view before, std::string_view behind) {
  if (text.size() < before.size() + behind.size() || !text.starts_with(before) || !text.ends_with(behind)) return std::nullopt;
  return text.substr(before.size(), text.size() - before.size() - behind.size());
}

std::string renamed(const std::map<std::string, std::string, std::less<>>& names, std::string_view name) {
  const auto found = names.find(name);
  return std::string(found == names.end() ? name : std::string_view(found->second));
}

// What stands behind `prefix` when that is all of the path, or goes on with a new part or an extension.
std::optional<std::string_view> behind(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return std::nullopt;
  const std::string_view rest = path.substr(prefix.size());
  if (!rest.empty() && rest[0] != '/' && rest[0] != '.') return std::nullopt;
  return rest;
}

std::optional<std::string> path_in_project(const Identity& identity, const Artifact& artifact) {
  const std::string from = "projects/" + identity.old_folder + "/", to = "projects/" + identity.new_folder + "/";
  if (const auto rest = behind(artifact.path, from + identity.old_session)) return to + identity.new_session + std::string(*rest);
  if (const auto agent = between(artifact.path, from + "agent-", ".jsonl"); agent && artifact.kind == ArtifactKind::flat_agent)
    return to + "agent-" + renamed(identity.agents, *agent) + ".jsonl";
  return std::nullopt;
}

std::optional<std::string> path_of_todo(const Identity& identity, std::string_view path) {
  const auto agent = between(path, "todos/" + identity.old_session + "-agent-", ".json");
  if (!agent) return std::nullopt;
  const std::string whose = *agent == identity.old_session ? identity.new_session : renamed(identity.agents, *agent);
  return "todos/" + identity.new_session + "-agent-" + whose + ".json";
}

// Folders and files that are named by the session alone.
std::optional<std::string> path_by_session(const Identity& identity, std::string_view path) {
  constexpr std::array<std::string_view, 5> kAreas = {"tasks/", "session-env/", "file-history/", "debug/", "todos/"};
  for (const std::string_view area : kAreas)
    if (const auto rest = behind(path, std::string(area) + identity.old_session))
      return std::string(area) + identity.new_session + std::string(*rest);
  return std::nullopt;
}

// rollout-<time>-<id>.jsonl, wherever Codex keeps it.
std::optional<std::string> path_of_rollout(const Identity& identity, const Artifact& artifact) {
  if (artifact.kind != ArtifactKind::main_transcript || artifact.path.starts_with("projects/")) return std::nullopt;
  const std::size_t name = artifact.path.rfind('/') + 1;
  const std::size_t at = artifact.path.rfind("-" + identity.old_session + ".");
  if (at == std::string::npos || at < name) return std::nullopt;
  return std::string(artifact.path).replace(at + 1, identity.old_session.size(), identity.new_session);
}

}  // namespace

Identity identity_of_copy(const SessionPlace& from, const std::string& new_session, const std::string& new_folder,
                          const std::vector<std::string>& flat_agents, const std::vector<std::string>& slugs) {
  Identity identity;
  identity.old_session = from.session_id;
  identity.new_session = new_session;
  identity.old_folder = from.project_folder;
  identity.new_folder = new_folder;
  // From the end: the front of a UUIDv7 is its time and the same for a whole minute.
  identity.suffix = new_session.substr(new_session.size() - std::min(new_session.size(), kSuffixLength));
  identity.agents = clone_names(flat_agents, identity.suffix);
  identity.slugs = clone_names(slugs, identity.suffix);
  return identity;
}

Identity identity_of_move(const SessionPlace& from, const std::string& new_folder) {
  Identity identity;
  identity.old_session = identity.new_session = from.session_id;
  identity.old_folder = from.project_folder;
  identity.new_folder = new_folder;
  return identity;
}

std::string_view base_of_clone(std::string_view id_or_slug) {
  return id_or_slug.substr(0, id_or_slug.find(kCloneMark));
}

std::string clone_title(std::string_view title, std::string_view suffix) {
  if (title.empty()) return {};
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); };
  constexpr std::size_t kMarked = kTitleMark.size() + kSuffixLength + 1;
  while (title.size() >= kMarked) {
    const std::string_view end = title.substr(title.size() - kMarked);
    if (!end.starts_with(kTitleMark) || end.back() != ')') break;
    if (!std::ranges::all_of(end.substr(kTitleMark.size(), kSuffixLength), is_hex)) break;
    title.remove_suffix(kMarked);
  }
  return std::string(title) + std::string(kTitleMark) + std::string(suffix) + ")";
}

std::optional<std::string> new_path(const Identity& identity, const Artifact& artifact) {
  if (artifact.kind == ArtifactKind::task_lock) return std::nullopt;
  if (auto path = path_in_project(identity, artifact)) return path;
  if (const auto slug = between(artifact.path, "plans/", ".md")) return "plans/" + renamed(identity.slugs, *slug) + ".md";
  if (auto path = path_of_todo(identity, artifact.path)) return path;
  if (auto path = path_by_session(identity, artifact.path)) return path;
  if (auto path = path_of_rollout(identity, artifact)) return path;
  return std::nullopt;
}

}  // namespace holdfast::transcripts
