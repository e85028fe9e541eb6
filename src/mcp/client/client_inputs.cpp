#include "mcp/client/client_inputs.h"

#include "mcp/client/client_limits.h"

#include <atomic>
#include <memory>
#include <utility>

namespace holdfast::mcp {
namespace {

constexpr std::string_view kElicit = "elicitation/create";

RpcError no_such_method(std::string_view method) {
  return {code::kMethodNotFound, "this client does not answer " + std::string(method), nullptr};
}

// Given to a handler: any thread, once. What comes is brought to the executor.
std::function<void(InputAnswer)> one_answer(Executor& executor, std::function<void(InputAnswer)> take) {
  auto given = std::make_shared<std::atomic<bool>>(false);
  return [&executor, given, take = std::move(take)](InputAnswer answer) {
    if (given->exchange(true)) return;
    executor.post([take, answer = std::move(answer)]() mutable { take(std::move(answer)); });
  };
}

}  // namespace

void fill_in_defaults(JsonObject& elicit_result, const JsonObject& elicit_params) {
  if (find_string(elicit_result, "action") != "accept") return;
  const JsonObject* schema = find_object(elicit_params, "requestedSchema");
  const JsonObject* properties = schema ? find_object(*schema, "properties") : nullptr;
  if (!properties) return;
  Json& content = elicit_result["content"];
  if (!content.is_object()) content = JsonObject();
  for (const auto& property : *properties)
    if (const Json* value = find(property.value(), "default"); value && !content.get_object().contains(property.key()))
      content.get_object()[property.key()] = *value;
}

const InputHandler* ClientInputs::handler_of(std::string_view method) const {
  const InputHandler* handler = nullptr;
  if (method == "roots/list") handler = &handlers_.roots;
  if (method == "sampling/createMessage") handler = &handlers_.sampling;
  if (method == kElicit) handler = &handlers_.elicitation;
  return handler && *handler ? handler : nullptr;
}

void ClientInputs::ask(std::string_view method, const JsonObject& params, Answered answered) {
  auto shared = std::make_shared<Answered>(std::move(answered));
  const auto take = one_answer(executor_, alive_.guard([shared](InputAnswer answer) { (*shared)(std::move(answer)); }));
  const InputHandler* handler = handler_of(method);
  if (!handler) return take(std::unexpected(no_such_method(method)));
  const bool elicits = method == kElicit;
  if (elicits && find_string(params, "mode") == "url" && !handlers_.elicits_urls)
    return take(std::unexpected(invalid_params("this client did not declare elicitation by URL")));
  if (method == "sampling/createMessage" && params.contains("tools") && !handlers_.samples_with_tools)
    return take(std::unexpected(invalid_params("this client did not declare sampling with tools")));
  if (!elicits) return (*handler)(params, take);
  (*handler)(params, [take, params](InputAnswer answer) {
    if (answer) fill_in_defaults(*answer, params);
    take(std::move(answer));
  });
}

void ClientInputs::serve(const Message& request, std::function<void(std::string response)> send) {
  if (request.method == "ping") return send(write_result(request.id, {}));
  if (serving_.size() >= kMaxServerRequests)
    return send(write_error(request.id, {code::kInternal, "this client has too many requests to answer", nullptr}));
  const std::string key = id_key(request.id);
  serving_[key] = {request.id, std::move(send)};
  ask(request.method, request.params, [this, key](InputAnswer answer) {
    const auto node = serving_.extract(key);
    if (node.empty()) return;
    const Serving& open = node.mapped();
    open.send(answer ? write_result(open.id, *answer) : write_error(open.id, answer.error()));
  });
}

void ClientInputs::refuse_all() {
  for (const auto& [key, open] : std::exchange(serving_, {}))
    open.send(write_error(open.id, {code::kInternal, "the client is going away", nullptr}));
}

}  // namespace holdfast::mcp
