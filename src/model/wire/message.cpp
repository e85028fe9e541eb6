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

}  // namespace holdfast::model
