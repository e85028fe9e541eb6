#pragma once

// A thought as the store keeps it: an entry of the session. The lane is the branch, the number its number there, the entry type
// its thought type; text is kept byte for byte. What else it carries is in the entry's data.

#include "base/json/json.h"
#include "session/entry.h"

#include <optional>
#include <string>

namespace holdfast::reasoning {

// Entries the program itself writes into a session's log; neither counted nor shown as thoughts.
inline constexpr std::string_view kManifestEntry = "manifest";  // stored when a session closes (T8)
inline constexpr std::string_view kStitchEntry = "stitch";      // where another session's thoughts were joined on

struct Thought {
  std::int64_t seq = 0;
  std::int64_t number = 0;
  std::string branch;  // empty: the main chain
  std::string text;
  std::string type;
  std::int64_t total = 0;
  bool next_needed = true;
  std::optional<std::int64_t> revises;
  bool revises_main = false;                // from a branch: the target is on the main chain
  std::optional<std::int64_t> branch_from;  // of the first thought of a branch
  std::optional<std::int64_t> requested;    // the number that was asked for and taken already
  std::optional<bool> needs_more;
  std::string agent_id, agent_name;
  std::string run;
  Millis time = 0;
  JsonObject payload;  // confidence and the payload of the type
  bool redacted = false;
  std::optional<std::string> damage;

  bool is_revision() const { return revises.has_value(); }
};

session::NewEntry to_entry(const Thought& thought, std::string idempotency_key);
// Never fails: data that cannot be read is reported as damage.
Thought to_thought(const session::Entry& entry);

// As results show it: thoughtNumber, thought, thoughtType, timestamp, and what else there is.
JsonObject thought_item(const Thought& thought);

}  // namespace holdfast::reasoning
