#pragma once

// The session that a command over every kind is about (design 8.20): a transcript on disk, or one of the store.

#include "cli/transcripts/transcript_work.h"
#include "session/record.h"

#include <variant>

namespace holdfast::cli {

struct ChosenSession {
  std::variant<transcripts::AnySession, session::SessionRecord> session;

  const transcripts::AnySession* transcript() const { return std::get_if<transcripts::AnySession>(&session); }
  const session::SessionRecord* record() const { return std::get_if<session::SessionRecord>(&session); }
  const std::string& id() const { return transcript() ? transcript()->id() : record()->id; }
};

// An empty id is the transcript this program runs in. Errors: invalid, not_found, ambiguous (also when the start of an id fits
// one of each).
Result<ChosenSession> choose_session(const Context& context, const TranscriptWork& work, const std::string& id);

}  // namespace holdfast::cli
