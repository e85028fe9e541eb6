#include "model/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::model {
namespace {

constexpr std::array<std::string_view, 4> kRoles = {"system", "user", "assistant", "tool"};

std::unexpected<Error> bad_message(std::string message) {
  return fail(ErrorKind::invalid, "a message for a model " + std::move(message));
}

constexpr std::int64_t kQuarters = 4;  // of a token

// By how a character is encoded in UTF-8: the longer, the rarer it is in what a tokenizer was made from.
constexpr std::int64_t quarters_of(char first_byte) {
  const auto byte = static_cast<unsigned char>(first_byte);
  if (byte < 0x80) return 1;
  if (byte < 0xC0) return 0;  // goes on
  if (byte < 0xE0) return 2;
  return byte < 0xF0 ? kQuarters : 2 * kQuarters;
}

// Tool output beyond that is cut by hosts (30,000 characters), so a longer answer would not arrive anyway.
constexpr std::int64_t kAutomaticMost = 8192;
// Fewer hold neither a call nor a sentence: then the prompt must shrink, and the endpoint says so.
constexpr std::int64_t kAutomaticLeast = 256;
constexpr std::int64_t kAroundMessage = 4, kAroundTool = 12;  // roles, names of members, characters of the template
constexpr std::int64_t kAutomaticReserve = 256;               // estimates are wrong, templates add tokens

}  // namespace

JsonObject to_json_object(const Message& message) {
  JsonObject json{{"role", message.role}};
  // What endpoints send, and so what they take back: no text at all beside calls is null.
  if (message.content.empty() && !message.tool_calls.empty()) {
    json["content"] = nullptr;
  } else {
    json["content"] = message.content;
  }
  if (!message.tool_call_id.empty()) json["tool_call_id"] = message.tool_call_id;
  if (!message.tool_calls.empty()) json["tool_calls"] = message.tool_calls;
  return json;
}

Result<Message> read_message(const Json& json) {
  if (!json.is_object()) return bad_message("must be an object");
  const JsonObject& object = json.as_object();
  Message message;
  message.role = find_string(object, "role").value_or("");
  if (std::ranges::find(kRoles, std::string_view(message.role)) == kRoles.end())
    return bad_message(fmt::format("needs a role: {}", fmt::join(kRoles, ", ")));
  if (const Json* content = find(object, "content"); content && !content->is_null()) {
    if (!content->is_string()) return bad_message("has content that is no text");
    message.content = view(content->as_string());
  }
  message.tool_call_id = find_string(object, "tool_call_id").value_or("");
  if (message.role == "tool" && message.tool_call_id.empty()) return bad_message("of role tool needs tool_call_id");
  if (const JsonArray* calls = find_array(object, "tool_calls")) message.tool_calls = *calls;
  return message;
}

Tokens& Tokens::operator+=(const Tokens& other) {
  in += other.in;
  out += other.out;
  estimated = estimated || other.estimated;
  return *this;
}

std::int64_t estimate_tokens(std::string_view text) {
  std::int64_t quarters = 0;
  for (const char c : text) quarters += quarters_of(c);
  return (quarters + kQuarters - 1) / kQuarters;
}

std::int64_t estimate_message(const Message& message) {
  std::int64_t tokens = kAroundMessage + estimate_tokens(message.content) + estimate_tokens(message.tool_call_id);
  for (const Json& call : message.tool_calls) tokens += estimate_tokens(to_json(call));
  return tokens;
}

std::int64_t estimate_prompt(const Ask& ask) {
  std::int64_t tokens = 0;
  for (const Message& message : ask.messages) tokens += estimate_message(message);
  for (const Tool& tool : ask.tools)
    tokens +=
        kAroundTool + estimate_tokens(tool.name) + estimate_tokens(tool.description) + estimate_tokens(to_json(tool.parameters));
  return tokens;
}

std::int64_t automatic_max_tokens(std::optional<std::int64_t> context, std::int64_t prompt_tokens) {
  if (!context) return kAutomaticMost;
  return std::clamp(*context - prompt_tokens - kAutomaticReserve, kAutomaticLeast, kAutomaticMost);
}

}  // namespace holdfast::model
