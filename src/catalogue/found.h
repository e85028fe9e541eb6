#pragma once

// A session of any kind, and where it lies.

#include "kinds/transcripts/guard/kept_session.h"
#include "kinds/transcripts/home/any_session.h"
#include "kinds/transcripts/verbs/backup.h"
#include "session/record.h"

#include <string>
#include <string_view>
#include <variant>

namespace holdfast::catalogue {

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

}  // namespace holdfast::catalogue
