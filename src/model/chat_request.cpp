#include "model/chat_request.h"

#include "base/json.h"

namespace holdfast::model {

std::string chat_request(const Endpoint& endpoint, const Ask& ask, const Dialect& dialect) {
  JsonArray messages;
  for (const Message& message : ask.messages) messages.push_back({{"role", message.role}, {"content", message.content}});
  JsonObject body{{"messages", std::move(messages)}, {"stream", true}};
  const std::string& model = ask.model.empty() ? endpoint.model : ask.model;
  if (!model.empty()) body["model"] = model;
  if (!dialect.no_stream_options) body["stream_options"] = JsonObject{{"include_usage", true}};
  body[dialect.max_completion_tokens ? "max_completion_tokens" : "max_tokens"] =
      ask.max_tokens.value_or(endpoint.max_output_tokens);
  if (ask.temperature) body["temperature"] = *ask.temperature;
  return to_json(body);
}

bool learn(Dialect& dialect, std::string_view refusal) {
  const Dialect before = dialect;
  if (refusal.find("max_completion_tokens") != refusal.npos) dialect.max_completion_tokens = true;
  if (refusal.find("stream_options") != refusal.npos) dialect.no_stream_options = true;
  return before.max_completion_tokens != dialect.max_completion_tokens || before.no_stream_options != dialect.no_stream_options;
}

}  // namespace holdfast::model
