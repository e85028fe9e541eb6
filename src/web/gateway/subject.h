#pragma once

// The session that a page is about, wherever it lives: found by its id, or a start of it that fits only one, among those that
// whoever asks may see.

#include "catalogue/find.h"

#include <memory>
#include <optional>
#include <string>

namespace holdfast::web {

struct Subject {
  std::string id, kind, title;
  std::optional<catalogue::Found> found;  // nullopt: only its family is known

  const session::SessionRecord* record() const { return found ? found->record() : nullptr; }
  bool is_kept() const { return found && found->is_kept(); }
};

// Transcripts of the user who runs the program, wherever they are. What it refers to outlives it.
struct Transcripts {
  const transcripts::Keeper* keeper = nullptr;   // nullptr: there are none
  std::shared_ptr<transcripts::KeptLines> kept;  // with a keeper: those of the guard
};
Transcripts transcripts_of(const transcripts::Keeper* keeper);

// What exists for whoever asks; all of it outlives what is given.
catalogue::Asker asker_of(session::Store& store, const Transcripts& transcripts, const std::string& principal);

// Errors: those of catalogue::find.
Result<Subject> find_subject(session::Store& store, const Transcripts& transcripts, const std::string& principal,
                             const std::string& id_or_prefix);

}  // namespace holdfast::web
