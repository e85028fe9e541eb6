#include "kinds/transcripts/guard/kept_lines.h"

namespace holdfast::transcripts {

namespace {

// What is known without reading any of it.
SessionLine bare_line(const KeptSession& kept) {
  SessionLine line;
  if (kept.product == Product::claude) {
    line.session.found = FoundSession{kept.place, kept.transcript.size, kept.transcript.modified_at};
    return line;
  }
  CodexSession session;
  session.id = kept.id;
  session.path = kept.path();
  session.size = kept.transcript.size;
  session.mtime = kept.transcript.modified_at;
  line.session.found = std::move(session);
  return line;
}

}  // namespace

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
  if (!home_) {
    HF_TRY(const std::string folder, keeper_.temporary_folder());
    HF_TRY(KeptHome made, KeptHome::make(folder, guard));
    home_ = std::make_unique<KeptHome>(std::move(made));
  }
  HF_TRY(SessionLine line, home_->line_of(session));
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
  SessionLine shown = line ? *std::move(line) : bare_line(session);
  return KeptTranscript{std::move(session), std::move(shown)};
}

}  // namespace holdfast::transcripts
