#include "kinds/transcripts/guard/kept_lines.h"

#include "kinds/transcripts/source/session_source.h"

namespace holdfast::transcripts {

Result<KeptLines::Sessions> KeptLines::sessions() {
  HF_TRY(session::Blobs* const guard, keeper_.guard());
  const std::lock_guard lock(mutex_);
  if (!guard) return std::make_shared<const std::vector<KeptSession>>();
  HF_TRY(const std::int64_t generation, guard->generation());
  if (!sessions_ || generation != generation_) {
    HF_TRY(auto found, kept_sessions(*guard));
    sessions_ = std::make_shared<const std::vector<KeptSession>>(std::move(found));
    generation_ = generation;
  }
  return sessions_;
}

Result<SessionLine> KeptLines::line_of(const KeptSession& session) {
  HF_TRY(session::Blobs* const guard, keeper_.guard());
  if (!guard) return fail(ErrorKind::not_found, "there is no guard");
  const std::string name = session.transcript.sha256 + session.transcript.key;
  const std::lock_guard lock(mutex_);
  if (const auto known = lines_.find(name); known != lines_.end()) return known->second;
  HF_TRY(SessionLine line, source_in_guard(*guard, session)->line());
  if (lines_.size() >= kMostLines) lines_.clear();
  return lines_.emplace(name, std::move(line)).first->second;
}

Result<KeptTranscript> KeptLines::transcript(KeptSession session, const KeptVersion& version) {
  if (version.number || version.as_of) {
    HF_TRY(session::Blobs* const guard, keeper_.guard());
    HF_TRY(session.transcript, chosen_version(*guard, session.transcript, version, true));
  }
  auto line = line_of(session);
  if (!line && line.error().kind != ErrorKind::corrupt) return fail(std::move(line).error());
  SessionLine shown;
  if (line)
    shown = *std::move(line);
  else
    shown.session = any_session(session);  // what is known without reading any of it
  return KeptTranscript{std::move(session), std::move(shown)};
}

}  // namespace holdfast::transcripts
