#include "kinds/runner/reading.h"

#include <fmt/format.h>

namespace holdfast::runner {
namespace {

using reading::Part;

void add_call(const session::Entry& entry, const JsonObject& data, const reading::ReadLimits& limits, reading::Turn& turn) {
  Part& call = add_part(turn, Part::Kind::tool_call, "", limits);
  call.name = text_in(data, "name");
  const std::string arguments = text_in(data, "arguments");
  if (auto parsed = parse_json(arguments); parsed && parsed->is_object())
    call.arguments = std::move(parsed->get_object());
  else if (!arguments.empty())
    call.arguments["arguments"] = arguments;
  reading::ToolResult result;
  result.output = reading::cut_text(entry.text, limits.text_bytes);
  result.error = find_bool(data, "is_error").value_or(false);
  result.line = turn.line;
  call.result = std::move(result);
}

}  // namespace

bool turn_of_entry(const session::Entry& entry, const reading::ReadLimits& limits, reading::Turn& turn) {
  const JsonObject data = reading::data_of_entry(entry);
  turn.role = reading::Role::assistant;
  if (entry.type == "task") {
    turn.role = reading::Role::user;
    turn.prompt = true;
    turn.author = text_in(data, "id");
    add_part(turn, Part::Kind::text, entry.text, limits);
  } else if (entry.type == "round") {
    turn.author = text_in(data, "model");
    if (const std::string thinking = text_in(data, "reasoning"); !thinking.empty())
      add_part(turn, Part::Kind::thinking, thinking, limits);
    if (!entry.text.empty()) add_part(turn, Part::Kind::text, entry.text, limits);
    return !turn.parts.empty();  // a round of tool calls alone: they follow
  } else if (entry.type == "tool_call") {
    add_call(entry, data, limits, turn);
  } else if (entry.type == "result") {
    turn.role = reading::Role::system;
    turn.error = text_in(data, "status") == "failed";
    add_part(turn, Part::Kind::notice, "", limits).name =
        fmt::format("task {}: {}", text_in(data, "id"), text_in(data, "status"));
    if (!entry.text.empty()) add_part(turn, Part::Kind::text, entry.text, limits);
  } else {
    turn.role = reading::Role::system;
    turn.meta = entry.type != "problem";
    turn.error = entry.type == "problem";
    add_part(turn, Part::Kind::notice, entry.text, limits).name = entry.type;
  }
  return true;
}

}  // namespace holdfast::runner
