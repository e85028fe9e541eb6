#include "reading/turn_json.h"

#include <string_view>

namespace holdfast::reading {
namespace {

using Filter = std::function<std::string(std::string_view)>;

std::string_view name_of(Part::Kind kind) {
  switch (kind) {
    case Part::Kind::text:
      return "text";
    case Part::Kind::thinking:
      return "thinking";
    case Part::Kind::tool_call:
      return "tool_call";
    case Part::Kind::tool_result:
      return "tool_result";
    case Part::Kind::image:
      return "image";
    case Part::Kind::diff:
      return "diff";
    case Part::Kind::notice:
      return "notice";
    case Part::Kind::raw:
      break;
  }
  return "raw";
}

void put(JsonObject& object, std::string_view key, std::string_view text) {
  if (!text.empty()) object[key] = text;
}
void put(JsonObject& object, std::string_view key, bool is) {
  if (is) object[key] = true;
}
void put(JsonObject& object, const CutText& text) {
  put(object, "text", text.text);
  if (text.left_out > 0) object["leftOutBytes"] = text.left_out;
}

JsonObject result_json(const ToolResult& result) {
  JsonObject out{{"line", result.line}};
  put(out, result.output);
  put(out, "error", result.error);
  put(out, "patch", result.patch);
  put(out, "savedOutput", result.saved_output);
  if (!result.images.empty()) out["images"] = result.images.size();
  return out;
}

JsonObject part_json(const Part& part) {
  JsonObject out{{"kind", name_of(part.kind)}, {"line", part.line}};
  put(out, part.text);
  put(out, "name", part.name);
  put(out, "id", part.id);
  if (!part.arguments.empty()) out["arguments"] = part.arguments;
  if (part.result) out["result"] = result_json(*part.result);
  if (part.subagent)
    out["subagent"] = {{"id", part.subagent->id}, {"type", part.subagent->type}, {"description", part.subagent->description}};
  if (!part.images.empty()) out["images"] = part.images.size();
  return out;
}

void filter_value(Json& value, const Filter& filter) {
  if (value.is_string()) {
    value = filter(view(value.get_string()));
  } else if (value.is_array()) {
    for (Json& each : value.get_array()) filter_value(each, filter);
  } else if (value.is_object()) {
    JsonObject changed;
    for (auto& member : value.get_object()) {
      filter_value(member.value(), filter);
      changed[filter(member.key())] = std::move(member.value());
    }
    value = std::move(changed);
  }
}

}  // namespace

JsonObject turn_json(const Turn& turn) {
  JsonObject out{{"line", turn.line}, {"role", name_of(turn.role)}};
  put(out, "id", turn.id);
  put(out, "author", turn.author);
  put(out, "lane", turn.lane);
  if (turn.time != 0) out["time"] = iso8601(turn.time);
  put(out, "prompt", turn.prompt);
  put(out, "meta", turn.meta);
  put(out, "sidechain", turn.sidechain);
  put(out, "compaction", turn.compaction);
  put(out, "error", turn.error);
  put(out, "damaged", turn.damaged);
  JsonArray parts;
  for (const Part& part : turn.parts) parts.push_back(part_json(part));
  out["parts"] = std::move(parts);
  return out;
}

JsonObject heading_json(const Heading& heading) {
  JsonObject out{{"id", heading.id}, {"kind", heading.kind}, {"title", heading.title}};
  put(out, "project", heading.project);
  put(out, "resumeCommand", heading.resume_command);
  if (heading.first_time != 0) out["firstTime"] = iso8601(heading.first_time);
  if (heading.last_time != 0) out["lastTime"] = iso8601(heading.last_time);
  for (const auto& [name, value] : heading.details) out[name] = value;
  return out;
}

void filter_texts(Turn& turn, const Filter& filter) {
  turn.author = filter(turn.author);
  turn.lane = filter(turn.lane);
  for (Fork& fork : turn.forks) fork.words = filter(fork.words);
  for (Part& part : turn.parts) {
    part.text.text = filter(part.text.text);
    part.name = filter(part.name);
    Json arguments(std::move(part.arguments));
    filter_value(arguments, filter);
    part.arguments = std::move(arguments.get_object());
    if (part.result) {
      part.result->output.text = filter(part.result->output.text);
      part.result->patch = filter(part.result->patch);
    }
    if (part.subagent) part.subagent->description = filter(part.subagent->description);
    for (Diff& diff : part.diffs)
      for (std::string* text : {&diff.before, &diff.after, &diff.patch, &diff.path}) *text = filter(*text);
    for (Todo& todo : part.todos) todo.text = filter(todo.text);
  }
}

}  // namespace holdfast::reading
