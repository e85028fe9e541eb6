#include "transcripts/kept_session.h"

#include "transcripts/codex_file_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace holdfast::transcripts {
namespace {

constexpr std::size_t kNamed = 5;              // matches named in the hint
constexpr std::size_t kAgentHead = 64 * 1024;  // a flat subagent names its session in its first record
constexpr std::size_t kUuid = 36;

std::optional<KeptSession> session_of(session::KeptFile kept) {
  const auto file = file_of_key(kept.key);
  if (!file) return std::nullopt;
  KeptSession session;
  session.product = file->product;
  if (file->product == Product::codex) {
    const auto rollout = codex_file_of(file->path);
    if (!rollout) return std::nullopt;
    session.id = rollout->id;
  } else {
    if (kind_of_path(file->path, SessionPlace{}) != ArtifactKind::main_transcript) return std::nullopt;
    const std::size_t slash = file->path.rfind('/');
    const std::size_t project = file->path.find('/') + 1;
    session.id = file->path.substr(slash + 1, kUuid);
    session.place = {session.id, file->path.substr(project, slash - project)};
  }
  session.transcript = std::move(kept);
  return session;
}

Result<bool> begins_with_session(session::Blobs& blobs, const session::KeptFile& file, const std::string& id) {
  std::string head(std::min<std::uint64_t>(file.size, kAgentHead), '\0');
  HF_TRY(const std::size_t got, blobs.read(file, 0, head));
  head.resize(got);
  return head.find(fmt::format("\"sessionId\":\"{}\"", id)) != std::string::npos;
}

}  // namespace

std::string KeptSession::path() const {
  return file_of_key(transcript.key).value_or(GuardedFile{}).path;
}

Result<std::vector<KeptSession>> kept_sessions(session::Blobs& blobs) {
  std::map<std::string, KeptSession> newest;
  for (const char* prefix : {"claude:projects/", "codex:"}) {
    HF_TRY(std::vector<session::KeptFile> files, blobs.files(prefix));
    for (session::KeptFile& file : files) {
      auto session = session_of(std::move(file));
      if (!session) continue;
      const auto [place, first] = newest.try_emplace(session->id, *session);
      if (!first && place->second.transcript.modified_at < session->transcript.modified_at) place->second = *std::move(session);
    }
  }
  std::vector<KeptSession> sessions;
  for (auto& [id, session] : newest) sessions.push_back(std::move(session));
  return sessions;
}

Result<KeptSession> find_kept_session(session::Blobs& blobs, std::string_view id_or_prefix) {
  HF_CHECK(check_start_of_session_id(id_or_prefix));
  HF_TRY(std::vector<KeptSession> sessions, kept_sessions(blobs));
  std::erase_if(sessions, [&](const KeptSession& each) { return !each.id.starts_with(id_or_prefix); });
  if (sessions.empty()) {
    return fail(ErrorKind::not_found, fmt::format("the guard has no session {}", id_or_prefix),
                "holdfast guard list shows those it has");
  }
  if (sessions.size() == 1) return std::move(sessions.front());
  std::string hint;
  for (std::size_t i = 0; i < sessions.size() && i < kNamed; ++i) {
    hint += fmt::format("{}{}  {}", i == 0 ? "" : "\n", sessions[i].id, iso8601(sessions[i].transcript.modified_at));
  }
  return fail(ErrorKind::ambiguous, fmt::format("{} fits {} sessions of the guard", id_or_prefix, sessions.size()), hint);
}

Result<std::set<std::string>> ids_on_disk(const Homes& homes) {
  std::set<std::string> ids;
  HF_TRY(const auto claude, all_sessions(homes.claude));
  for (const FoundSession& session : claude) ids.insert(session.place.session_id);
  HF_TRY(const auto codex, codex_sessions(homes.codex));
  for (const CodexSession& session : codex) ids.insert(session.id);
  return ids;
}

Result<std::vector<KeptSession>> gone_sessions(const Homes& homes, session::Blobs& blobs) {
  HF_TRY(std::vector<KeptSession> sessions, kept_sessions(blobs));
  if (sessions.empty()) return sessions;
  HF_TRY(const auto there, ids_on_disk(homes));
  std::erase_if(sessions, [&](const KeptSession& each) { return there.contains(each.id); });
  std::ranges::sort(sessions, std::greater(), [](const KeptSession& each) { return each.transcript.modified_at; });
  return sessions;
}

Result<std::vector<session::KeptFile>> files_of(session::Blobs& blobs, const KeptSession& kept) {
  std::vector<session::KeptFile> files = {kept.transcript};
  if (kept.product == Product::codex) return files;
  const std::string project = "claude:projects/" + kept.place.project_folder + "/";
  for (const std::string& prefix :
       {"claude:" + kept.place.folder() + "/", "claude:todos/" + kept.id, "claude:tasks/" + kept.id + "/",
        "claude:session-env/" + kept.id + "/", "claude:file-history/" + kept.id + "/", "claude:debug/" + kept.id + ".txt",
        project + "agent-"}) {
    HF_TRY(const std::vector<session::KeptFile> found, blobs.files(prefix));
    for (const session::KeptFile& file : found) {
      const auto named = file_of_key(file.key);
      const auto kind = named ? kind_of_path(named->path, kept.place) : std::nullopt;
      if (!kind) continue;
      if (kind == ArtifactKind::flat_agent) {
        HF_TRY(const bool mine, begins_with_session(blobs, file, kept.id));
        if (!mine) continue;
      }
      files.push_back(file);
    }
  }
  return files;
}

}  // namespace holdfast::transcripts
