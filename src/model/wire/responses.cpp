#include "model/wire/responses.h"

#include "base/crypto/hash.h"
#include "base/text/text.h"
#include "model/wire/chat_request.h"

namespace holdfast::model {
namespace {

void add_to(Sha256& hash, const Message& message) {
  hash.add(to_json(to_json_object(message)));
  hash.add("\n");
}

std::string memory_key(const Sha256& hash) {
  const Digest digest = hash.digest();
  return std::string(bytes_of(digest));
}

void append_items(JsonArray& input, const Message& message) {
  if (message.role == "tool") {
    input.push_back(JsonObject{{"type", "function_call_output"}, {"call_id", message.tool_call_id}, {"output", message.content}});
    return;
  }
  if (!message.content.empty() || message.tool_calls.empty())
    input.push_back(JsonObject{{"role", message.role}, {"content", message.content}});
  for (const Json& call : message.tool_calls) {
    const Json* function = find(call, "function");
    const Json* name = function ? find(*function, "name") : nullptr;
    const Json* arguments = function ? find(*function, "arguments") : nullptr;
    const Json* id = find(call, "id");
    if (!name || !id) continue;
    JsonObject item{{"type", "function_call"}, {"call_id", *id}, {"name", *name}, {"arguments", "{}"}};
    if (arguments && arguments->is_string()) item["arguments"] = *arguments;
    if (arguments && arguments->is_object()) item["arguments"] = to_json(*arguments);
    input.push_back(std::move(item));
  }
}

// The texts of a list of parts, of the types that hold the text we look for, under the name `member`.
std::string texts_in(const JsonObject& item, std::string_view list, std::string_view type, std::string_view member = "text") {
  std::string text;
  if (const JsonArray* parts = find_array(item, list))
    for (const Json& part : *parts)
      if (part.is_object() && find_string(part.as_object(), "type") == type)
        text += find_string(part.as_object(), member).value_or("");
  return text;
}

std::string finish_reason_of(const JsonObject& response, bool calls) {
  if (find_string(response, "status") != "incomplete") return calls ? "tool_calls" : "stop";
  const JsonObject* details = find_object(response, "incomplete_details");
  const std::string reason(details ? find_string(*details, "reason").value_or("") : "");
  return reason.empty() || reason == "max_output_tokens" ? "length" : reason;
}

}  // namespace

std::optional<Continuation> ResponseMemory::find(const Ask& ask, std::string_view model) {
  Sha256 hash;
  hash.add(model);
  std::optional<Continuation> found;
  // Not behind the last message: there must be something to say.
  for (std::size_t at = 0; at + 1 < ask.messages.size(); ++at) {
    add_to(hash, ask.messages[at]);
    if (ask.messages[at].role != "assistant") continue;
    if (auto known = ids_.find(memory_key(hash))) found = Continuation{*std::move(known), at + 1};
  }
  return found;
}

void ResponseMemory::remember(const Ask& ask, std::string_view model, const Reply& reply, std::string response_id) {
  if (response_id.empty()) return;
  Sha256 hash;
  hash.add(model);
  for (const Message& message : ask.messages) add_to(hash, message);
  add_to(hash, reply.message);
  ids_.put(memory_key(hash), std::move(response_id));
}

std::string responses_request(const Endpoint& endpoint, const Ask& ask, const std::string& model,
                              const std::optional<Continuation>& from) {
  JsonArray input;
  for (std::size_t at = from ? from->known : 0; at < ask.messages.size(); ++at) append_items(input, ask.messages[at]);
  JsonObject body{{"input", std::move(input)}, {"stream", endpoint.stream}};
  if (from) body["previous_response_id"] = from->response_id;
  if (!model.empty()) body["model"] = model;
  body["max_output_tokens"] = ask.max_tokens.value_or(endpoint.max_output_tokens);
  if (ask.temperature) body["temperature"] = *ask.temperature;
  if (!ask.tools.empty()) {
    JsonArray tools;
    for (const Tool& tool : ask.tools) {
      JsonObject flat = function_of(tool);
      flat["type"] = "function";
      tools.push_back(std::move(flat));
    }
    body["tools"] = std::move(tools);
    body["tool_choice"] = word_of(ask.tool_choice);
  }
  // There it stands in text.format, with the schema's own members one level up.
  if (const JsonObject* format = ask.response_format.if_object()) {
    JsonObject flat = *format;
    if (const JsonObject* schema = find_object(*format, "json_schema")) {
      flat = *schema;
      flat["type"] = "json_schema";
    }
    body["text"] = JsonObject{{"format", std::move(flat)}};
  }
  return to_json(body);
}

ResponseParts read_response(const JsonObject& response, const JsonArray& output) {
  ResponseParts parts;
  parts.id = find_string(response, "id").value_or("");
  for (const Json& entry : output) {
    if (!entry.is_object()) continue;
    const JsonObject& item = entry.as_object();
    const auto type = find_string(item, "type").value_or("");
    if (type == "message") {
      parts.text += texts_in(item, "content", "output_text");
      parts.refusal += texts_in(item, "content", "refusal", "refusal");
    }
    if (type == "reasoning") {
      std::string thought = texts_in(item, "content", "reasoning_text");
      parts.reasoning += thought.empty() ? texts_in(item, "summary", "summary_text") : std::move(thought);
    }
    if (type != "function_call") continue;
    JsonObject call{{"id", find_string(item, "call_id").value_or("")}};
    JsonObject function{{"name", find_string(item, "name").value_or("")}};
    if (const Json* arguments = find(item, "arguments")) function["arguments"] = *arguments;
    call["function"] = std::move(function);
    call["index"] = parts.calls.size();  // they are whole: one of the same id is another call
    parts.calls.push_back(std::move(call));
  }
  parts.finish_reason = finish_reason_of(response, !parts.calls.empty());
  return parts;
}

bool says_unknown_response(const Fault& fault) {
  if (fault.status != 400 && fault.status != 404 && fault.status != 422) return false;
  const std::string text = to_ascii_lower(fault.error.message);
  return fault.status == 404 || text.find("previous_response") != text.npos || text.find("previous response") != text.npos;
}

bool says_no_responses(const Fault& fault) {
  if (fault.status == 405 || fault.status == 501) return true;
  if (fault.status == 404) return !fault.model_missing;
  // Older versions of LM Studio answer 200 and "Unexpected endpoint or method. (POST /v1/responses)".
  return to_ascii_lower(fault.error.message).find("unexpected endpoint") != std::string::npos;
}

}  // namespace holdfast::model
