#pragma once

// The family tree of sessions: clone, fork, restore, stitch, move, archive.
//
// Lineage is a list of events, never edited. Parent or child may be ids this store does not know (a
// session of another machine); an event outlives the records it names.

#include "base/json/json.h"
#include "base/run/clock.h"

#include <cstdint>
#include <string>

namespace holdfast::session {

struct LineageEvent {
  std::int64_t number = 0;  // assigned by the store, increasing
  std::string child;
  std::string parent;  // empty for events about one session ("archived", "moved")
  std::string how;     // "clone", "fork", "restore", "stitch", ...
  Millis when = 0;     // 0 on add: now
  JsonObject details;  // paths, machines, hashes: what the kind wants to remember
};

// A hostile or merely long history must not fill memory; no real tree comes near.
inline constexpr std::size_t kMaxLineageEvents = 10'000;

}  // namespace holdfast::session
