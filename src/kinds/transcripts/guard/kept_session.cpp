#include "kinds/transcripts/guard/kept_session.h"

#include "base/ids.h"
#include "jsonl/scan.h"
#include "kinds/transcripts/home/find.h"
#include "kinds/transcripts/products/codex/codex_file_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <ranges>

namespace holdfast::transcripts {
namespace {

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
    session.id = file->path.substr(slash + 1, kUuidLength);
    session.place = {session.id, file->path.substr(project, slash - project)};
  }
  session.transcript = std::move(kept);
  return session;
}

// What is left of it when it is damaged.
jsonl::LineReader kept_lines_of(session::Blobs& blobs, const session::KeptFile& file) {
  return jsonl::LineReader::of_source([&blobs, file, at = std::uint64_t{0}, lost = std::vector<session::Blobs::Gap>()](
                                          char* to, std::size_t room) mutable -> Result<std::size_t> {
    HF_TRY(const std::size_t got, blobs.read_what_is_left(file, at, std::span(to, room), lost));
    at += got;
    return got;
  });
}

// The top-level sessionId of the first record that has one; empty: nobody's.
Result<std::string> session_of_flat_agent(session::Blobs& blobs, const session::KeptFile& file) {
  auto lines = kept_lines_of(blobs, file);
  jsonl::Scanner scanner;
  constexpr std::array<std::string_view, 1> kNames = {"sessionId"};
  std::array<jsonl::Token, 1> found;
  for (;;) {
    HF_TRY(const auto line, lines.next());
    if (!line) return std::string();
    if (line->overlong) continue;
    scanner.fields(line->text, kNames, found);
    if (found[0].kind == jsonl::TokenKind::string) return found[0].text();
  }
}

Result<void> add_plans(session::Blobs& blobs, std::vector<session::KeptFile>& files, Slugs& slugs) {
  for (const session::KeptFile& file : files)
    if (file.key.ends_with(".jsonl")) HF_CHECK(collect_slugs(kept_lines_of(blobs, file), slugs));
  for (const std::string& slug : slugs.names) {
    HF_TRY(auto plan, blobs.file(guard_key({Product::claude, "plans/" + slug + ".md"})));
    if (plan) files.push_back(*std::move(plan));
  }
  return {};
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
  HF_TRY(const std::vector<KeptSession> sessions, kept_sessions(blobs));
  return find_kept_session(sessions, id_or_prefix);
}

Result<KeptSession> find_kept_session(std::span<const KeptSession> among, std::string_view id_or_prefix) {
  // Any kind's id may be given: one that cannot begin so is simply not there.
  std::vector<KeptSession> sessions;
  if (check_start_of_session_id(id_or_prefix))
    std::ranges::copy_if(among, std::back_inserter(sessions),
                         [&](const KeptSession& each) { return each.id.starts_with(id_or_prefix); });
  if (sessions.empty()) {
    return fail(ErrorKind::not_found, fmt::format("the guard has no session {}", id_or_prefix),
                "holdfast guard list shows those it has");
  }
  if (sessions.size() == 1) return std::move(sessions.front());
  std::string hint;
  for (std::size_t i = 0; i < sessions.size() && i < kHintedMatches; ++i) {
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

Result<std::map<std::string, std::size_t>> missing_files(const Homes& homes, session::Blobs& blobs) {
  HF_TRY(const std::vector<session::KeptFile> files, blobs.files());
  std::map<std::string, std::size_t> missing;
  for (const session::KeptFile& kept : files) {
    const auto file = file_of_key(kept.key);
    if (!file) continue;
    HF_TRY(const auto there, home_of(homes, file->product).stat(file->path));
    if (there) continue;
    std::string id = session_in_path(*file);
    if (id.empty() && kind_of_path(file->path, SessionPlace{}) == ArtifactKind::flat_agent) {
      HF_TRY(id, session_of_flat_agent(blobs, kept));
    }
    if (!id.empty()) ++missing[id];
  }
  return missing;
}

Result<session::KeptFile> chosen_version(session::Blobs& blobs, const session::KeptFile& newest, const KeptVersion& version,
                                         bool is_transcript) {
  const bool by_number = version.number && is_transcript;
  if (!by_number && !version.as_of) return newest;
  HF_TRY(const std::vector<session::KeptFile> versions, blobs.versions(newest.key));
  if (by_number) {
    const auto found = std::ranges::find(versions, *version.number, &session::KeptFile::version);
    if (found != versions.end()) return *found;
    return fail(ErrorKind::not_found, fmt::format("{} has no version {}", newest.key, *version.number),
                fmt::format("the newest is {}, the oldest {}", newest.version, versions.empty() ? 0 : versions.back().version));
  }
  for (const session::KeptFile& each : versions)
    if (each.kept_at <= *version.as_of) return each;
  return versions.empty() ? newest : versions.back();
}

Result<std::vector<session::KeptFile>> files_of(session::Blobs& blobs, const KeptSession& kept, const KeptVersion& version,
                                                Slugs* slugs) {
  HF_TRY(const session::KeptFile transcript, chosen_version(blobs, kept.transcript, version, true));
  std::vector<session::KeptFile> files = {transcript};
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
        HF_TRY(const std::string owner, session_of_flat_agent(blobs, file));
        if (owner != kept.id) continue;
      }
      files.push_back(file);
    }
  }
  Slugs named;
  HF_CHECK(add_plans(blobs, files, slugs ? *slugs : named));
  if (version.as_of)
    for (session::KeptFile& file : files | std::views::drop(1)) {
      HF_TRY(file, chosen_version(blobs, file, version, false));
    }
  return files;
}

Result<void> check_kept(session::Blobs& blobs, const session::KeptFile& file,
                        const std::function<Result<void>(std::uint64_t bytes)>& tell) {
  std::string piece(jsonl::kReadBytes, '\0');
  for (std::uint64_t at = 0; at < file.size;) {
    HF_TRY(const std::size_t got, blobs.read(file, at, piece));
    if (got == 0) return fail(ErrorKind::corrupt, fmt::format("{}: the guard has only {} of {} bytes", file.key, at, file.size));
    at += got;
    HF_CHECK(tell(got));
  }
  return {};
}

Error lost_transcript(const KeptSession& kept, Error why) {
  why.hint = fmt::format("holdfast export {} shows what is left of it; holdfast guard cat --partial prints it", kept.id);
  return why;
}

AnySession any_session(const KeptSession& kept) {
  if (kept.product == Product::claude) return {FoundSession{kept.place, kept.transcript.size, kept.transcript.modified_at}};
  CodexSession session;
  session.id = kept.id;
  session.path = kept.path();
  session.compressed = session.path.ends_with(kCompressedEnding);
  session.size = kept.transcript.size;
  session.mtime = kept.transcript.modified_at;
  return {session};
}

}  // namespace holdfast::transcripts
