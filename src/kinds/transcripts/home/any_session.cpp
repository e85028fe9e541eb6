#include "kinds/transcripts/home/any_session.h"

#include "kinds/transcripts/source/session_source.h"

#include <fmt/format.h>

namespace holdfast::transcripts {

SessionLine to_line(Summary summary) {
  SessionLine line;
  line.title = std::move(summary.title);
  line.custom_title = std::move(summary.custom_title);
  line.project_path = summary.project_root.empty() ? std::move(summary.first_cwd) : std::move(summary.project_root);
  line.version = std::move(summary.version);
  line.git_branch = std::move(summary.git_branch);
  line.first_time = summary.first_time;
  line.last_time = summary.last_time;
  line.sidechain = summary.sidechain;
  line.session.found = std::move(summary.session);
  return line;
}

SessionLine to_line(CodexSession session) {
  SessionLine line;
  line.title = session.title;
  line.project_path = session.cwd;
  line.version = session.version;
  line.git_branch = session.git_branch;
  line.first_time = session.first_time;
  line.last_time = session.last_time;
  line.session.found = std::move(session);
  return line;
}

const std::string& AnySession::id() const {
  return claude() ? claude()->place.session_id : codex()->id;
}

std::string AnySession::path() const {
  return claude() ? claude()->place.transcript() : codex()->path;
}

std::uint64_t AnySession::size() const {
  return claude() ? claude()->size : codex()->size;
}

Millis AnySession::mtime() const {
  return claude() ? claude()->mtime : codex()->mtime;
}

Result<Homes> Homes::open(const std::string& claude_folder, const std::string& codex_folder) {
  HF_TRY(Home claude, Home::open(claude_folder));
  HF_TRY(Home codex, Home::open(codex_folder));
  return Homes{std::move(claude), std::move(codex)};
}

Result<AnySession> Homes::find(std::string_view id, const std::optional<std::string>& project_path) const {
  auto ours = find_session(claude, id, project_path);
  if (project_path || (!ours && ours.error().kind != ErrorKind::not_found)) {
    if (!ours) return fail(std::move(ours).error());
    return AnySession{std::move(*ours)};
  }
  auto theirs = find_codex_session(codex, id);
  if (ours && theirs)
    return fail(ErrorKind::ambiguous, fmt::format("{} fits sessions of both products", id),
                fmt::format("Claude Code: {}\nCodex: {}", ours->place.session_id, theirs->id));
  if (ours) return AnySession{std::move(*ours)};
  if (theirs) return AnySession{std::move(*theirs)};
  if (theirs.error().kind != ErrorKind::not_found) return fail(std::move(theirs).error());
  return fail(std::move(ours).error());
}

Result<SessionLine> Homes::line_of(const AnySession& session) const {
  if (session.claude()) {
    HF_TRY(Summary summary, summarise(claude, *session.claude()));
    return to_line(std::move(summary));
  }
  HF_TRY(CodexSession summary, summarise_codex(codex, *session.codex()));
  return to_line(std::move(summary));
}

Result<Inventory> Homes::inventory(const AnySession& session) const {
  return source_on_disk(of(session), session)->inventory();
}

Result<std::string> Homes::project_of(const AnySession& session) const {
  HF_TRY(const ArchiveHeader header, source_on_disk(of(session), session)->header());
  return header.original_project_path;
}

}  // namespace holdfast::transcripts
