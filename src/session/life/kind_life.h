#pragma once

// What the lifecycle has to know about each kind, in one table: which clock archives it, and which states mean that somebody is
// working on it (threads-and-research §3–5, design 8.7). Everything else about archiving, deleting and restoring is the same for
// all.

#include "session/record.h"

#include <array>
#include <span>
#include <string_view>

namespace holdfast::session {

enum class ArchiveClock {
  activity,    // since the last activity
  completion,  // since completion (retention_anchor_at); never before
};

struct KindLife {
  std::string_view kind;
  ArchiveClock clock;
  std::array<std::string_view, 2> busy;  // states in which it cannot be archived (waiting, worked on); deleting ends them first
  std::string_view ended;                // the state a busy one gets when it is deleted
  double archive_days, delete_days;      // defaults of retention.<kind>_archive_days and …_delete_days; 0: never
  double archive_lead_days;              // how long before archiving a notice is due
};

// One row for every kind that has a lifecycle here (transcripts belong to other programs).
std::span<const KindLife> kind_lives();
// The row of the kind; for one this program does not know, a row without clocks.
const KindLife& life_of(std::string_view kind);
bool is_busy(const SessionRecord& record);

}  // namespace holdfast::session
