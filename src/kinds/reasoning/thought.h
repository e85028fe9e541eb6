#pragma once

// A thought as the store keeps it: an entry of the session. The lane is the branch, the number its number there, the entry type
// its thought type; text is kept byte for byte. What else it carries is in the entry's data.

#include "base/json/json.h"
#include "base/result.h"
#include "session/entry.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

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

// The types of thoughts and what each must bring along (T9): one table, from which the tool's schema, the validation and the
// documentation are made.
struct ThoughtType {
  std::string_view name;
  std::string_view payload;  // the argument that holds it; empty: none
  std::string_view schema;   // JSON Schema of the payload; empty: none
  bool needs_confidence = false;
  char marker = 'T';  // in the compact export
  std::string_view meaning;
};

std::span<const ThoughtType> thought_types();
const ThoughtType* find_type(std::string_view name);
inline constexpr std::string_view kDefaultType = "reasoning";

// Is this entry type a thought (and not a note the program wrote into the log)?
bool is_thought_type(std::string_view entry_type);

// The payload of this type out of the arguments of a call, checked; empty when the type has none. `confidence` may come with
// every type. Errors: invalid ("invalid_argument"), naming what is missing or wrong.
Result<JsonObject> read_payload(const ThoughtType& type, const JsonObject& arguments);

// Properties for the input schema of the tool: every payload, and confidence.
JsonObject payload_properties();

}  // namespace holdfast::reasoning
