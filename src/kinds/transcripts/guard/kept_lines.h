#pragma once

// What lists and pages show of sessions that only the guard has, read once and remembered: what was kept under a version never
// changes but for growing.
//
// Any thread; whoever asks for something new waits for others who do.

#include "kinds/transcripts/verbs/keeper.h"

#include <memory>
#include <mutex>
#include <unordered_map>

namespace holdfast::transcripts {

// A session of the guard, and what a list shows of it.
struct KeptTranscript {
  KeptSession session;
  SessionLine line;
};

class KeptLines {
 public:
  // The keeper lives longer.
  explicit KeptLines(const Keeper& keeper) : keeper_(keeper) {}

  // All that the guard has, also what the client still has; by id. Empty without a guard.
  using Sessions = std::shared_ptr<const std::vector<KeptSession>>;
  Result<Sessions> sessions();
  // Errors: corrupt (damaged there), io.
  Result<SessionLine> line_of(const KeptSession& session);
  // As it was in that version. One too damaged to be summarised has a line without a title. Errors: not_found (no such version).
  Result<KeptTranscript> transcript(KeptSession session, const KeptVersion& version = {});

 private:
  static constexpr std::size_t kMostLines = 20'000;  // some hundred bytes each

  const Keeper& keeper_;
  std::mutex mutex_;  // of all below
  std::int64_t generation_ = -1;
  Sessions sessions_;
  std::unordered_map<std::string, SessionLine> lines_;  // by hash of the transcript and its key
};

}  // namespace holdfast::transcripts
