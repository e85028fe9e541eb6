#pragma once

// The session that a page is about, wherever it lives: found by its id, or a start of it that fits only one, among those that
// whoever asks may see.

#include "kinds/transcripts/guard/kept_lines.h"
#include "session/store.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::web {

struct Subject {
  std::string id, kind, title;
  std::optional<session::SessionRecord> record;       // of the store
  std::optional<transcripts::AnySession> transcript;  // on disk
  std::optional<transcripts::KeptTranscript> kept;    // in the guard alone
};

// Transcripts of the user who runs the program, wherever they are. What it refers to outlives it.
struct Transcripts {
  const transcripts::Keeper* keeper = nullptr;   // nullptr: there are none
  std::shared_ptr<transcripts::KeptLines> kept;  // with a keeper: those of the guard
};
Transcripts transcripts_of(const transcripts::Keeper* keeper);

// Errors: not_found, ambiguous, those of the store.
Result<Subject> find_subject(session::Store& store, const Transcripts& transcripts, const std::string& principal,
                             const std::string& id_or_prefix);

}  // namespace holdfast::web
