#include "model/wire/chat_request.h"

namespace holdfast::model {

std::string chat_request(const Endpoint& endpoint, const Ask& ask, const std::string& model, const Dialect& dialect) {
  JsonArray messages;
  for (const Message& message : ask.messages) messages.push_back(to_json_object(message));
  JsonObject body{{"messages", std::move(messages)}, {"stream", endpoint.stream}};
  if (!model.empty()) body["model"] = model;
  if (endpoint.stream && !dialect.no_stream_options) body["stream_options"] = JsonObject{{"include_usage", true}};
  body[dialect.max_completion_tokens ? "max_completion_tokens" : "max_tokens"] =
      ask.max_tokens.value_or(endpoint.max_output_tokens);
  if (ask.temperature) body["temperature"] = *ask.temperature;
  if (!ask.tools.empty()) {
    JsonArray tools;
    for (const Tool& tool : ask.tools) tools.push_back(JsonObject{{"type", "function"}, {"function", function_of(tool)}});
    body["tools"] = std::move(tools);
    body["tool_choice"] = word_of(ask.tool_choice);
  }
  if (!ask.response_format.is_null()) body["response_format"] = ask.response_format;
  return to_json(body);
}

bool learn(Dialect& dialect, std::string_view refusal) {
  const Dialect before = dialect;
  if (refusal.find("max_completion_tokens") != refusal.npos) dialect.max_completion_tokens = true;
  if (refusal.find("stream_options") != refusal.npos) dialect.no_stream_options = true;
  return before.max_completion_tokens != dialect.max_completion_tokens || before.no_stream_options != dialect.no_stream_options;
}

const std::string& asked_model(const Endpoint& endpoint, const Ask& ask) {
  static const std::string kNone;
  const std::string& model = ask.model.empty() || ask.model == kDefaultModel ? endpoint.model : ask.model;
  return model == kDefaultModel ? kNone : model;
}

JsonObject function_of(const Tool& tool) {
  JsonObject function{{"name", tool.name}};
  if (!tool.description.empty()) function["description"] = tool.description;
  // Servers that compile a grammar out of it need an object even for a tool that takes nothing.
  if (tool.parameters.is_null()) {
    function["parameters"] = JsonObject{{"type", "object"}, {"properties", JsonObject()}};
  } else {
    function["parameters"] = tool.parameters;
  }
  return function;
}

std::string_view word_of(ToolChoice choice) {
  switch (choice) {
    case ToolChoice::none:
      return "none";
    case ToolChoice::required:
      return "required";
    case ToolChoice::automatic:
      break;
  }
  return "auto";
}

}  // namespace holdfast::model
