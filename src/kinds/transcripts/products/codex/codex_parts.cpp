#include "base/json/json.h"
#include "base/text/text.h"
#include "kinds/transcripts/reading/record_reader.h"

#include <fmt/format.h>

namespace holdfast::transcripts {
namespace {

using reading::cut_text;
using reading::Part;
using reading::Role;

class CodexRecord {
 public:
  CodexRecord(const JsonObject& record, std::uint64_t line, std::uint64_t left_out, bool with_messages,
              const reading::ReadLimits& limits)
      : record_(record), line_(line), left_out_(left_out), with_messages_(with_messages), limits_(limits) {
    out_.turn.line = line;
    if (const auto time = find_string(record, "timestamp")) out_.turn.time = parse_time(*time).value_or(0);
  }

  RecordParts make() {
    const std::string type = text_in(record_, "type");
    const JsonObject* payload = find_object(record_, "payload");
    if (!payload)
      take_unknown(type);
    else if (type == "event_msg")
      take_event(*payload);
    else if (type == "response_item")
      take_item(*payload);
    else if (type == "compacted")
      take_compaction(*payload);
    else if (type == "session_meta" || type == "turn_context")
      out_.shown = false;
    else
      take_unknown(type);
    if (left_out_ > 0 && !out_.turn.parts.empty()) out_.turn.parts.back().text.left_out += left_out_;
    if (left_out_ > 0 && !out_.results.empty()) out_.results.back().result.output.left_out += left_out_;
    return std::move(out_);
  }

 private:
  Part& add(Part::Kind kind, std::string_view text) {
    Part& part = out_.turn.parts.emplace_back();
    part.kind = kind;
    part.line = line_;
    part.text = cut_text(text, limits_.text_bytes);
    return part;
  }

  void take_unknown(std::string_view type) {
    add(Part::Kind::raw, to_json_pretty(record_)).name = type.empty() ? "record without a type" : fmt::format("{} record", type);
  }

  void take_event(const JsonObject& payload) {
    const std::string type = text_in(payload, "type");
    if (type == "user_message") {
      out_.turn.role = Role::user;
      out_.turn.prompt = true;
      add(Part::Kind::text, find_string(payload, "message").value_or(""));
    } else if (type == "agent_message") {
      out_.turn.role = Role::assistant;
      add(Part::Kind::text, find_string(payload, "message").value_or(""));
    } else if (type == "agent_reasoning") {
      out_.turn.role = Role::assistant;
      add(Part::Kind::thinking, find_string(payload, "text").value_or(""));
    } else if (type == "error" || type == "stream_error") {
      out_.turn.role = Role::system;
      out_.turn.error = true;
      add(Part::Kind::notice, find_string(payload, "message").value_or("")).name = "Error";
    } else {
      out_.shown = false;  // token counts, tasks that begin and end
    }
  }

  void take_compaction(const JsonObject& payload) {
    out_.turn.role = Role::system;
    out_.turn.meta = out_.turn.compaction = true;
    add(Part::Kind::notice, find_string(payload, "message").value_or("")).name = "Summary of what came before";
  }

  void take_item(const JsonObject& payload) {
    const std::string type = text_in(payload, "type");
    out_.turn.role = Role::assistant;
    if (type == "message") return take_message(payload);
    if (type == "reasoning") {
      // What there is of it in clear stands in events, too.
      out_.shown = false;
    } else if (type == "function_call" || type == "custom_tool_call" || type == "local_shell_call") {
      take_call(payload);
    } else if (type == "function_call_output" || type == "custom_tool_call_output") {
      take_output(payload);
    } else if (type == "web_search_call") {
      Part& call = add(Part::Kind::tool_call, "");
      call.name = "WebSearch";
      if (const JsonObject* action = find_object(payload, "action")) call.arguments = *action;
    } else {
      take_unknown(type);
    }
  }

  void take_message(const JsonObject& payload) {
    const std::string role = text_in(payload, "role");
    out_.shown = with_messages_;
    out_.turn.role = role == "user" ? Role::user : role == "assistant" ? Role::assistant : Role::system;
    const JsonArray* content = find_array(payload, "content");
    for (std::size_t i = 0; content && i < content->size(); ++i) {
      const JsonObject* block = (*content)[i].if_object();
      if (!block) continue;
      const auto text = find_string(*block, "text");
      if (text && role == "user" && trim(*text).starts_with('<')) out_.turn.meta = true;  // context that the client adds
      if (text) add(out_.turn.meta ? Part::Kind::notice : Part::Kind::text, *text);
    }
    out_.turn.prompt = role == "user" && !out_.turn.meta;
  }

  void take_call(const JsonObject& payload) {
    Part& call = add(Part::Kind::tool_call, "");
    call.name = text_in(payload, "name");
    call.id = text_in(payload, "call_id");
    if (const JsonObject* action = find_object(payload, "action")) {
      call.name = "local_shell";
      call.arguments = *action;
    }
    if (const auto input = find_string(payload, "input")) call.arguments["input"] = cut_text(*input, limits_.text_bytes).text;
    const auto arguments = find_string(payload, "arguments");
    if (!arguments) return;
    auto parsed = parse_json(*arguments);
    if (parsed && parsed->is_object())
      call.arguments = std::move(parsed->get_object());
    else
      call.arguments["arguments"] = cut_text(*arguments, limits_.text_bytes).text;
  }

  void take_output(const JsonObject& payload) {
    LooseResult loose;
    loose.call_id = text_in(payload, "call_id");
    loose.result.line = line_;
    std::string text;
    if (const Json* output = find(payload, "output")) {
      if (output->is_string())
        text = view(output->get_string());
      else if (output->is_object())
        take_structured(output->get_object(), text, loose.result.error);
      else
        text = to_json_pretty(*output);
    }
    // Older ones put an object with the exit code into the string.
    if (auto parsed = text.starts_with('{') ? parse_json(text) : Result<Json>(Json()); parsed && parsed->is_object()) {
      std::string inner;
      take_structured(parsed->get_object(), inner, loose.result.error);
      if (!inner.empty()) text = std::move(inner);
    }
    loose.result.output = cut_text(text, limits_.text_bytes);
    out_.results.push_back(std::move(loose));
  }

  static void take_structured(const JsonObject& output, std::string& text, bool& error) {
    text = text_in(output, find_string(output, "output") ? "output" : "content");
    if (const auto success = find_bool(output, "success")) error = !*success;
    if (const JsonObject* metadata = find_object(output, "metadata"))
      if (const auto exit_code = find_int(*metadata, "exit_code")) error = *exit_code != 0;
  }

  const JsonObject& record_;
  const std::uint64_t line_, left_out_;
  const bool with_messages_;
  const reading::ReadLimits& limits_;
  RecordParts out_;
};

}  // namespace

RecordParts codex_parts(const JsonObject& record, std::uint64_t line, std::uint64_t left_out, bool with_messages,
                        const reading::ReadLimits& limits) {
  return CodexRecord(record, line, left_out, with_messages, limits).make();
}

}  // namespace holdfast::transcripts
