#include "kinds/reasoning/read/reading.h"

#include "kinds/reasoning/thought.h"

#include <fmt/format.h>

namespace holdfast::reasoning {

bool turn_of_entry(const session::Entry& entry, const reading::ReadLimits& limits, reading::Turn& turn) {
  using reading::Part;
  if (entry.type == kManifestEntry || entry.type == kStitchEntry) {
    turn.role = reading::Role::system;
    turn.meta = true;
    add_part(turn, Part::Kind::notice, entry.text.empty() ? entry.data : entry.text, limits).name = entry.type;
    return true;
  }
  const Thought thought = to_thought(entry);
  turn.role = reading::Role::assistant;
  std::string about = fmt::format("thought {} of {}", thought.number, thought.total);
  if (!thought.type.empty()) about += fmt::format(", {}", thought.type);
  if (thought.branch_from) about += fmt::format(", branches from {}", *thought.branch_from);
  if (thought.revises) about += fmt::format(", revises {}{}", *thought.revises, thought.revises_main ? " of the main line" : "");
  if (!thought.next_needed) about += ", the last";
  add_part(turn, Part::Kind::notice, "", limits).name = std::move(about);
  add_part(turn, Part::Kind::text, thought.text, limits);
  if (!thought.payload.empty()) add_part(turn, Part::Kind::raw, to_json_pretty(thought.payload), limits).name = "with it";
  return true;
}

}  // namespace holdfast::reasoning
