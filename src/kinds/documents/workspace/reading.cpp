#include "kinds/documents/workspace/reading.h"

#include <fmt/format.h>

namespace holdfast::documents {

bool turn_of_entry(const session::Entry& entry, const reading::ReadLimits& limits, reading::Turn& turn) {
  using reading::Part;
  turn.role = entry.type == "decided" ? reading::Role::user : reading::Role::assistant;
  turn.prompt = entry.type == "proposed";
  add_part(turn, Part::Kind::notice, entry.text, limits).name = entry.type;
  const JsonObject data = reading::data_of_entry(entry);
  if (!data.empty() && entry.type != "read") add_part(turn, Part::Kind::raw, to_json_pretty(data), limits).name = "with it";
  return true;
}

}  // namespace holdfast::documents
