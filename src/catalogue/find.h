#pragma once

// From what a person or a model types to one session, wherever it lies: the one rule of commands, tools and pages (design 8.20).
//
// A whole id is that session. The start of an id must fit one session alone, of all kinds and places together; otherwise it is
// ambiguous, and every match is named with its kind and place. The same transcript on disk, in the guard and in a backup is one
// session. A place that cannot be read hides nothing of the others; what is then not found is that place's error.

#include "catalogue/found.h"
#include "kinds/transcripts/guard/kept_lines.h"
#include "session/store.h"

#include <functional>
#include <optional>

namespace holdfast::catalogue {

// Who asks, and what exists for who asks.
struct Asker {
  // As it is seen by who asks; opened when it is needed. nullptr: there is none yet.
  std::function<Result<session::Store*>()> store;
  std::string principal;
  // Transcripts are files of the user who runs the program. nullptr: who asks is somebody else, and for them there are none.
  const transcripts::Keeper* keeper = nullptr;
  // Remembers what the guard has, for a process that asks often; nullptr: looked at anew.
  transcripts::KeptLines* kept = nullptr;
};

// Errors: not_found (names the places; code "gone" when it was purged), ambiguous, invalid (no id can begin so), those of a place
// that cannot be read.
Result<Found> find(const Asker& asker, std::string_view id_or_prefix);

// The same for what only transcripts have: a session of another kind is `invalid`. A project narrows it to what Claude Code has
// in that folder on disk.
Result<Found> find_transcript(const Asker& asker, std::string_view id_or_prefix, const std::optional<std::string>& project = {});

// The copy that `restore` takes (design 8.25), also of a session that is still on disk: the newer of guard and backup.
// `guard_alone`: a version of it was asked for, and only the guard has those.
Result<Found> find_copy(const transcripts::Keeper& keeper, std::string_view id_or_prefix, bool guard_alone = false);

// What is changed or taken away must be on disk. Errors: those of finding it; not_found, with the command that puts it back.
Result<transcripts::AnySession> on_disk(const Result<Found>& found);

}  // namespace holdfast::catalogue
