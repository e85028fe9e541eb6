#pragma once

// From what a person or a model types to one session, wherever it lies: the one rule of commands, tools and pages (design 8.20).
//
// A whole id is that session. The start of an id must fit one session alone, of all kinds and places together; otherwise it is
// ambiguous, and every match is named with its kind and place. The same transcript on disk, in the guard and in a backup is one
// session. A place that cannot be read hides nothing of the others; what is then not found is that place's error.

#include "kinds/transcripts/guard/kept_lines.h"
#include "kinds/transcripts/guard/kept_session.h"
#include "kinds/transcripts/home/any_session.h"
#include "kinds/transcripts/verbs/backup.h"
#include "session/record.h"
#include "session/store.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace holdfast::catalogue {

// A session of any kind, and where it lies.

// In the order of Found::lies. Of a transcript that lies in several the disk is the best; then the newer of guard and backup.
enum class Place : std::uint8_t { store, disk, guard, backup };
std::string_view name_of(Place place);  // "in the store", "on disk", "in the guard", "in a backup"

struct Found {
  std::variant<session::SessionRecord, transcripts::AnySession, transcripts::KeptSession, transcripts::KeptBackup> lies;

  Place place() const { return static_cast<Place>(lies.index()); }
  const std::string& id() const;
  std::string_view kind() const;
  Millis changed_at() const;  // the last time; a backup was made then

  const session::SessionRecord* record() const { return std::get_if<session::SessionRecord>(&lies); }
  const transcripts::AnySession* on_disk() const { return std::get_if<transcripts::AnySession>(&lies); }
  const transcripts::KeptSession* in_guard() const { return std::get_if<transcripts::KeptSession>(&lies); }
  const transcripts::KeptBackup* in_backup() const { return std::get_if<transcripts::KeptBackup>(&lies); }
  // A transcript whose client no longer has it (status `kept`, design 8.6).
  bool is_kept() const { return in_guard() || in_backup(); }
};

// What lies in each place of transcripts, for find and list.

struct Matches {
  std::vector<Found> found;
  std::vector<std::pair<Place, Error>> unread;  // places that could not be read; they hide nothing of the others
};

bool begins_with(std::string_view id, std::string_view prefix);

// By the start of their ids; an empty one means all. Of one id in several folders each. Errors: those of reading folders.
Result<std::vector<Found>> matches_on_disk(const transcripts::Keeper& keeper, std::string_view prefix);

// Those of the guard and of backups, also of what is still on disk; of one session the newer of the two.
Matches matches_kept(const transcripts::Keeper& keeper, transcripts::KeptLines* kept, std::string_view prefix,
                     bool guard_alone = false);

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
