#include "kinds/research/run/reading.h"

#include "base/text/text.h"

#include <fmt/format.h>

namespace holdfast::research {
namespace {

using reading::Part;

// The questions of a plan as a list.
std::string plan_text(const session::Entry& entry, const JsonObject& data) {
  std::string text = entry.text;
  if (const JsonArray* questions = find_array(data, "sub_queries")) {
    if (!text.empty()) text += "\n\n";
    for (const Json& each : *questions)
      if (each.is_object()) text += fmt::format("- {}\n", text_in(each.get_object(), "query"));
  }
  return text;
}

// What was found, with the words it was found in.
std::string finding_text(const session::Entry& entry, const JsonObject& data) {
  std::string text = entry.text;
  if (const JsonArray* quotes = find_array(data, "quotes"))
    for (const Json& each : *quotes)
      if (each.is_object()) text += fmt::format("\n\n> {}", text_in(each.get_object(), "text"));
  return text;
}

}  // namespace

bool turn_of_entry(const session::Entry& entry, const reading::ReadLimits& limits, reading::Turn& turn) {
  const JsonObject data = reading::data_of_entry(entry);
  turn.role = reading::Role::assistant;
  if (entry.type == "report") {
    turn.author = "report";
    add_part(turn, Part::Kind::text, entry.text, limits);
  } else if (entry.type == "plan") {
    turn.author = "plan";
    turn.prompt = true;
    add_part(turn, Part::Kind::text, plan_text(entry, data), limits);
  } else if (entry.type == "finding") {
    turn.author = fmt::format("finding, {}", text_in(data, "confidence"));
    add_part(turn, Part::Kind::text, finding_text(entry, data), limits);
  } else if (entry.type == "gap" || entry.type == "contradiction") {
    turn.author = entry.type;
    add_part(turn, Part::Kind::text, entry.text, limits);
  } else if (entry.type == "source" || entry.type == "page") {
    turn.role = reading::Role::other;
    turn.author = entry.type;
    const std::string title = text_in(data, "title");
    add_part(turn, Part::Kind::notice, entry.text.empty() ? text_in(data, "snippet") : entry.text, limits).name =
        fmt::format("{} {}", title, text_in(data, "uri"));
  } else {
    turn.role = reading::Role::system;
    turn.meta = true;
    const std::string name = text_in(data, entry.type == "audit" ? "event" : "key");
    add_part(turn, Part::Kind::raw, entry.text.empty() ? to_json_pretty(data) : entry.text, limits).name =
        name.empty() ? entry.type : fmt::format("{}: {}", entry.type, name);
  }
  return true;
}

}  // namespace holdfast::research
