#include "model/wire/tool_calls.h"

#include "base/ids.h"
#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::model {
namespace {

constexpr std::size_t kIdCharacters = 24;  // as long as those of OpenAI: some endpoints limit the length
constexpr std::string_view kOpen = "<tool_call>", kClose = "</tool_call>";

std::string make_call_id() {
  return "call_" + random_base62(kIdCharacters);
}

// Arguments as text, whichever way they came; nullopt: none.
std::optional<std::string> arguments_of(const JsonObject& function) {
  const Json* arguments = find(function, "arguments");
  if (!arguments || arguments->is_null()) return std::nullopt;
  return arguments->is_string() ? std::string(view(arguments->as_string())) : to_json(*arguments);
}

// The object in the text between the tags, when it calls one of the tools.
std::optional<ToolCall> call_in(std::string_view text, const std::vector<Tool>& tools) {
  const auto parsed = parse_json(text);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  const auto name = find_string(parsed->as_object(), "name");
  if (!name || std::ranges::find(tools, *name, &Tool::name) == tools.end()) return std::nullopt;
  return ToolCall{make_call_id(), std::string(*name), arguments_of(parsed->as_object()).value_or("")};
}

JsonObject wire_of(const ToolCall& call) {
  return JsonObject{
      {"id", call.id}, {"type", "function"}, {"function", JsonObject{{"name", call.name}, {"arguments", call.arguments}}}};
}

}  // namespace

Result<void> ToolCallAssembler::add(const JsonArray& pieces) {
  for (const Json& piece : pieces)
    if (piece.is_object()) HF_CHECK(add_piece(piece.as_object()));
  return {};
}

// The call a piece continues; nullptr: it begins one.
ToolCallAssembler::Slot* ToolCallAssembler::slot_for(const JsonObject& piece) {
  const auto id = find_string(piece, "id").value_or("");
  if (const auto index = find_int(piece, "index")) {
    const auto newest = std::find_if(slots_.rbegin(), slots_.rend(), [&](const Slot& slot) { return slot.index == index; });
    if (newest == slots_.rend()) return nullptr;
    const bool other = !id.empty() && !newest->id.empty() && id != newest->id;  // numbers every call alike
    return other ? nullptr : &*newest;
  }
  if (!id.empty()) {
    const auto same = std::ranges::find(slots_, id, &Slot::id);
    return same == slots_.end() ? nullptr : &*same;
  }
  if (slots_.empty()) return nullptr;
  const JsonObject* function = find_object(piece, "function");
  const bool named = function && !find_string(*function, "name").value_or("").empty();
  return named && !slots_.back().name.empty() ? nullptr : &slots_.back();
}

Result<void> ToolCallAssembler::add_piece(const JsonObject& piece) {
  Slot* slot = slot_for(piece);
  if (!slot) {
    if (slots_.size() == kMaxToolCalls)
      return fail(ErrorKind::too_large, fmt::format("the answer holds more than {} tool calls", kMaxToolCalls));
    slot = &slots_.emplace_back();
    slot->index = find_int(piece, "index");
  }
  for (const auto& [key, value] : piece) {
    if (key == "id" || key == "index" || key == "function" || slot->wire.contains(key)) continue;
    HF_CHECK(count(key.size() + to_json(value).size()));
    slot->wire[key] = value;
  }
  if (slot->id.empty()) {
    slot->id = find_string(piece, "id").value_or("");
    HF_CHECK(count(slot->id.size()));
  }
  const JsonObject* function = find_object(piece, "function");
  if (!function) return {};
  if (const auto name = find_string(*function, "name"); name && slot->name != *name) {
    HF_CHECK(count(name->size()));
    // A name comes in one piece, but that is nowhere promised; once arguments follow it is whole.
    if (slot->arguments.empty()) slot->name += *name;
  }
  const auto arguments = arguments_of(*function);
  if (!arguments) return {};
  HF_CHECK(count(arguments->size()));
  slot->as_object = !find(*function, "arguments")->is_string();
  if (slot->as_object) slot->arguments.clear();
  slot->arguments += *arguments;
  return {};
}

Result<void> ToolCallAssembler::count(std::size_t bytes) {
  bytes_ += bytes;
  if (bytes_ > kMaxToolCallBytes)
    return fail(ErrorKind::too_large, fmt::format("the tool calls of the answer are longer than {} bytes", kMaxToolCallBytes));
  return {};
}

ToolCalls ToolCallAssembler::take() {
  ToolCalls taken;
  for (Slot& slot : slots_) {
    if (trim(slot.name).empty()) continue;
    if (slot.id.empty() || std::ranges::find(taken.calls, slot.id, &ToolCall::id) != taken.calls.end()) slot.id = make_call_id();
    JsonObject function{{"name", slot.name}, {"arguments", slot.arguments}};
    if (slot.as_object) function["arguments"] = parse_json(slot.arguments).value_or(Json(JsonObject()));
    JsonObject wire = std::move(slot.wire);
    wire["id"] = slot.id;
    if (!find_string(wire, "type")) wire["type"] = "function";
    wire["function"] = std::move(function);
    taken.wire.push_back(std::move(wire));
    taken.calls.push_back({std::move(slot.id), std::move(slot.name), std::move(slot.arguments)});
  }
  slots_.clear();
  bytes_ = 0;
  return taken;
}

ToolCalls take_calls_in_text(std::string& content, const std::vector<Tool>& tools) {
  ToolCalls taken;
  std::string kept;
  std::size_t from = 0;
  while (taken.calls.size() < kMaxToolCalls) {
    const std::size_t open = content.find(kOpen, from);
    const std::size_t inside = open == content.npos ? open : open + kOpen.size();
    const std::size_t close = inside == content.npos ? inside : content.find(kClose, inside);
    if (close == content.npos) break;
    const auto call = call_in(std::string_view(content).substr(inside, close - inside), tools);
    kept.append(content, from, (call ? open : close + kClose.size()) - from);
    from = close + kClose.size();
    if (!call) continue;
    taken.wire.push_back(wire_of(*call));
    taken.calls.push_back(*call);
  }
  if (taken.calls.empty()) return taken;
  kept.append(content, from);
  content = trim(kept);
  return taken;
}

}  // namespace holdfast::model
