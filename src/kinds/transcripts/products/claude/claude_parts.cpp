// How one record of Claude Code becomes what a person reads.
//
// In comes a record of a transcript as JSON, with the number of its line; out come the parts of a turn (words, thinking, calls,
// notices, images) and, apart from them, results of tools, because a result stands in a later record than its call and is shown
// below that. First the type decides who speaks, and what clients keep for themselves is not shown. A `user` record is the
// hardest: it is what somebody typed, a slash command, output of a local command, a summary of what was compacted, or what a tool
// gave back, and only its content tells; so whether it counts as a prompt is decided block by block and never by the type. Types
// that nobody knows are shown whole. Texts are cut here to the limit, before markup is made of them; what a cut-off line left out
// is added at the end to the last part there is, since only then all parts are known. Images are numbered as they stand, for
// their bytes are asked for later by that number.

#include "base/json/json.h"
#include "base/text/text.h"
#include "kinds/transcripts/products/claude/prompt.h"
#include "kinds/transcripts/reading/record_parts.h"

#include <fmt/format.h>

namespace holdfast::transcripts {
namespace {

using reading::cut_text;
using reading::Part;
using reading::Role;

constexpr std::string_view kSaved = "Full output saved to: ";
constexpr std::string_view kResultFolder = "tool-results/";

// Everything of one record; images are numbered in the order they stand in it.
class ClaudeRecord {
 public:
  ClaudeRecord(const JsonObject& record, std::uint64_t line, std::uint64_t left_out, const reading::ReadLimits& limits)
      : record_(record), line_(line), left_out_(left_out), limits_(limits) {
    out_.turn.line = line;
    out_.turn.id = text_in(record, "uuid");
    out_.turn.sidechain = find_bool(record, "isSidechain").value_or(false);
    out_.turn.meta = find_bool(record, "isMeta").value_or(false);
    if (const auto time = find_string(record, "timestamp")) out_.turn.time = parse_time(*time).value_or(0);
  }

  RecordParts make() {
    const std::string type = text_in(record_, "type");
    if (type == "user")
      take_user();
    else if (type == "assistant")
      take_assistant();
    else if (type == "system")
      take_system();
    else if (type == "attachment")
      take_attachment();
    else if (type == "summary")
      add(Part::Kind::notice, text_in(record_, "summary")).name = "Summary";
    else if (type == "queue-operation" || !is_worth_showing(type))
      out_.shown = false;
    else
      take_unknown(type);
    if (left_out_ > 0 && !out_.turn.parts.empty()) out_.turn.parts.back().text.left_out += left_out_;
    if (left_out_ > 0 && out_.turn.parts.empty() && !out_.results.empty())
      out_.results.back().result.output.left_out += left_out_;
    return std::move(out_);
  }

 private:
  // Records that clients keep for themselves.
  static bool is_worth_showing(std::string_view type) {
    for (const std::string_view quiet :
         {"last-prompt", "ai-title", "custom-title", "agent-name", "agent-color", "agent-setting", "mode", "permission-mode",
          "worktree-state", "file-history-snapshot", "tag", "progress", "relocated", "started", "result"})
      if (type == quiet) return false;
    return true;
  }

  Part& add(Part::Kind kind, std::string_view text) {
    Part& part = out_.turn.parts.emplace_back();
    part.kind = kind;
    part.line = line_;
    part.text = cut_text(text, limits_.text_bytes);
    return part;
  }

  void take_unknown(std::string_view type) {
    out_.turn.role = Role::other;
    add(Part::Kind::raw, to_json_pretty(record_)).name = type.empty() ? "record without a type" : fmt::format("{} record", type);
  }

  void take_system() {
    const std::string subtype = text_in(record_, "subtype");
    out_.turn.role = Role::system;
    out_.turn.meta = true;
    if (subtype == "compact_boundary") {
      out_.turn.compaction = true;
      const std::string trigger = [&] {
        const JsonObject* about = find_object(record_, "compactMetadata");
        return about ? text_in(*about, "trigger") : std::string();
      }();
      add(Part::Kind::notice, trigger.empty() ? "" : fmt::format("({})", trigger)).name = "What came before was summarised";
      return;
    }
    if (subtype == "turn_duration") {
      out_.shown = false;
      return;
    }
    const std::string content = text_in(record_, "content");
    out_.turn.error = text_in(record_, "level") == "error";
    add(Part::Kind::notice, content.empty() ? to_json_pretty(record_) : content).name = subtype;
  }

  void take_attachment() {
    out_.turn.role = Role::system;
    out_.turn.meta = true;
    const JsonObject* attachment = find_object(record_, "attachment");
    if (!attachment) return take_unknown("attachment");
    const std::string type = text_in(*attachment, "type");
    std::string text = text_in(*attachment, "content");
    if (text.empty()) text = to_json_pretty(*attachment);
    add(Part::Kind::notice, text).name = fmt::format("Attachment: {}", type);
  }

  void take_user() {
    out_.turn.role = Role::user;
    const JsonObject* message = find_object(record_, "message");
    if (!message) return take_unknown("user");
    const bool summary = find_bool(record_, "isCompactSummary").value_or(false);
    if (summary) out_.turn.meta = out_.turn.compaction = true;
    const Json* content = find(*message, "content");
    if (content && content->is_string())
      take_prompt(view(content->get_string()), summary);
    else if (content && content->is_array())
      for (const Json& block : content->get_array()) {
        if (block.is_string()) take_prompt(view(block.get_string()), summary);
        if (block.is_object()) take_user_block(block.get_object(), summary);
      }
    else
      take_unknown("user");
  }

  void take_prompt(std::string_view text, bool summary) {
    const Prompt prompt = prompt_of_text(text);
    if (prompt.kind == Prompt::Kind::none && !summary) out_.turn.meta = true;
    if (prompt.kind != Prompt::Kind::none && !out_.turn.meta) out_.turn.prompt = true;
    if (prompt.kind == Prompt::Kind::command) {
      add(Part::Kind::text, prompt.text);
      return;
    }
    add(summary || out_.turn.meta ? Part::Kind::notice : Part::Kind::text, text).name =
        summary ? "Summary of what came before" : "";
  }

  void take_user_block(const JsonObject& block, bool summary) {
    const std::string type = text_in(block, "type");
    if (type == "text") {
      take_prompt(find_string(block, "text").value_or(""), summary);
    } else if (type == "tool_result") {
      take_result(block);
    } else if (auto image = next_image(block)) {
      add(Part::Kind::image, "").images.push_back(std::move(*image));
    } else {
      add(Part::Kind::raw, to_json_pretty(block)).name = fmt::format("{} block", type);
    }
  }

  std::optional<reading::Image> next_image(const JsonObject& block) {
    auto image = image_of_block(block, line_, images_, limits_);
    if (image) ++images_;
    return image;
  }

  void take_result(const JsonObject& block) {
    LooseResult loose;
    loose.call_id = text_in(block, "tool_use_id");
    loose.result.line = line_;
    loose.result.error = find_bool(block, "is_error").value_or(false);
    std::string text;
    const Json* content = find(block, "content");
    if (content && content->is_string()) text = view(content->get_string());
    if (content && content->is_array())
      for (const Json& each : content->get_array()) {
        const JsonObject* inner = each.if_object();
        if (!inner) continue;
        if (auto image = next_image(*inner))
          loose.result.images.push_back(std::move(*image));
        else if (const auto words = find_string(*inner, "text"))
          text += (text.empty() ? "" : "\n") + std::string(*words);
        else
          text += (text.empty() ? "" : "\n") + to_json_pretty(each);
      }
    take_saved(text, loose.result);
    loose.result.output = cut_text(text, limits_.text_bytes);
    take_details(loose);
    out_.results.push_back(std::move(loose));
  }

  // "<persisted-output> … Full output saved to: …/tool-results/b1.txt"
  static void take_saved(std::string_view text, reading::ToolResult& result) {
    if (!text.starts_with("<persisted-output>")) return;
    const std::size_t at = text.find(kSaved);
    if (at == std::string_view::npos) return;
    const std::string_view rest = text.substr(at + kSaved.size());
    const std::string_view path = rest.substr(0, rest.find('\n'));
    if (const std::size_t folder = path.rfind(kResultFolder); folder != std::string_view::npos)
      result.saved_output = path.substr(folder);
  }

  // What the client noted beside the answer.
  void take_details(LooseResult& loose) const {
    const JsonObject* details = find_object(record_, "toolUseResult");
    if (!details) return;
    loose.agent_id = text_in(*details, "agentId");
    const JsonArray* hunks = find_array(*details, "structuredPatch");
    if (!hunks) return;
    std::string& patch = loose.result.patch;
    for (const Json& each : *hunks) {
      const JsonObject* hunk = each.if_object();
      const JsonArray* lines = hunk ? find_array(*hunk, "lines") : nullptr;
      if (!lines) continue;
      patch +=
          fmt::format("@@ -{},{} +{},{} @@\n", find_int(*hunk, "oldStart").value_or(0), find_int(*hunk, "oldLines").value_or(0),
                      find_int(*hunk, "newStart").value_or(0), find_int(*hunk, "newLines").value_or(0));
      for (const Json& line : *lines) {
        if (!line.is_string() || patch.size() > limits_.text_bytes) continue;
        patch += view(line.get_string());
        patch += '\n';
      }
    }
  }

  void take_assistant() {
    out_.turn.role = Role::assistant;
    const JsonObject* message = find_object(record_, "message");
    if (!message) return take_unknown("assistant");
    out_.message_id = text_in(*message, "id");
    out_.turn.author = text_in(*message, "model");
    out_.turn.error = find_bool(record_, "isApiErrorMessage").value_or(false);
    if (out_.turn.author == "<synthetic>") out_.turn.author.clear();
    const Json* content = find(*message, "content");
    if (content && content->is_string()) add(Part::Kind::text, view(content->get_string()));
    if (!content || !content->is_array()) return;
    for (const Json& block : content->get_array())
      if (block.is_object()) take_assistant_block(block.get_object());
  }

  void take_assistant_block(const JsonObject& block) {
    const std::string type = text_in(block, "type");
    if (type == "text") {
      add(Part::Kind::text, find_string(block, "text").value_or(""));
    } else if (type == "thinking") {
      // Newer models give a signature alone.
      const auto thinking = find_string(block, "thinking").value_or("");
      if (!trim(thinking).empty()) add(Part::Kind::thinking, thinking);
    } else if (type == "redacted_thinking") {
      add(Part::Kind::notice, "").name = "Thinking that the provider keeps to itself";
    } else if (type == "tool_use" || type == "server_tool_use") {
      Part& call = add(Part::Kind::tool_call, "");
      call.name = text_in(block, "name");
      call.id = text_in(block, "id");
      if (const JsonObject* input = find_object(block, "input")) take_arguments(*input, call);
    } else if (auto image = next_image(block)) {
      add(Part::Kind::image, "").images.push_back(std::move(*image));
    } else {
      add(Part::Kind::raw, to_json_pretty(block)).name = fmt::format("{} block", type);
    }
  }

  void take_arguments(const JsonObject& input, Part& call) const {
    call.arguments = input;
    for (auto& [key, value] : call.arguments) {
      if (!value.is_string() || value.get_string().size() <= limits_.text_bytes) continue;
      reading::CutText cut = cut_text(view(value.get_string()), limits_.text_bytes);
      call.text.left_out += cut.left_out;
      value = std::move(cut.text);
    }
  }

  const JsonObject& record_;
  const std::uint64_t line_, left_out_;
  const reading::ReadLimits& limits_;
  std::size_t images_ = 0;
  RecordParts out_;
};

}  // namespace

std::optional<reading::Image> image_of_block(const JsonObject& block, std::uint64_t line, std::size_t number,
                                             const reading::ReadLimits& limits) {
  if (find_string(block, "type") != "image") return std::nullopt;
  const JsonObject* source = find_object(block, "source");
  const JsonObject& holder = source ? *source : block;
  reading::Image image;
  image.media_type = text_in(holder, source ? "media_type" : "mimeType");
  image.reference = fmt::format("{}/{}", line, number);
  const auto data = find_string(holder, "data");
  if (data && data->size() <= limits.image_bytes) image.base64 = *data;
  return image;
}

RecordParts claude_parts(const JsonObject& record, std::uint64_t line, std::uint64_t left_out,
                         const reading::ReadLimits& limits) {
  return ClaudeRecord(record, line, left_out, limits).make();
}

RecordParts broken_line(std::string_view text, std::uint64_t whole_size, std::uint64_t line, const reading::ReadLimits& limits) {
  RecordParts out;
  out.turn.line = line;
  out.turn.damaged = true;
  Part& part = out.turn.parts.emplace_back();
  part.kind = Part::Kind::raw;
  part.line = line;
  part.name = fmt::format("not a record: {} bytes", whole_size);
  part.text = cut_text(text, limits.text_bytes);
  part.text.left_out += whole_size - text.size();
  return out;
}

}  // namespace holdfast::transcripts
