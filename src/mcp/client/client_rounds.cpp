// The part of ClientCalls that looks at answers: errors, results, and in the modern era results that ask for more.

#include "mcp/client/client_calls.h"
#include "mcp/client/client_limits.h"

#include <fmt/format.h>

#include <utility>

namespace holdfast::mcp {
namespace {

Error bad_answer(std::string_view method, std::string_view what) {
  return make_error(ErrorKind::corrupt, fmt::format("{}: the server's answer {}", method, what));
}

bool may_ask(std::string_view method) {
  return method == "tools/call" || method == "prompts/get" || method == "resources/read";
}

}  // namespace

bool ClientCalls::take_response(Message& response) {
  const std::int64_t* id = response.id.if_int64();
  Ticket ticket = 0;
  Operation* operation = id ? on_wire(*id, ticket) : nullptr;
  if (!operation) return false;
  ++counts_.answers;
  take_off_wire(*operation);
  if (response.is_error) {
    take_error(ticket, *operation, std::move(response.error));
  } else if (JsonObject* result = response.result.if_object()) {
    take_result(ticket, *operation, std::move(*result));
  } else {
    finish(ticket, call_failed(bad_answer(operation->request.method, "is not an object"), Outcome::unknown));
  }
  return true;
}

void ClientCalls::take_progress(const JsonObject& params) {
  const auto token = find_int(params, "progressToken");
  Ticket ticket = 0;
  Operation* operation = token ? on_wire(*token, ticket) : nullptr;
  const Json* value = holdfast::find(params, "progress");
  if (!operation || !value || !value->is_number() || !operation->request.options.on_progress) return;
  arm(ticket, *operation);
  Progress progress{value->to_number<double>(), std::nullopt, std::string(find_string(params, "message").value_or(""))};
  if (const Json* total = holdfast::find(params, "total"); total && total->is_number())
    progress.total = total->to_number<double>();
  operation->request.options.on_progress(progress);
}

void ClientCalls::take_error(Ticket ticket, Operation& operation, RpcError error) {
  // The tool's header rules have changed since we looked: look again, once.
  const bool headers_differ = error.code == code::kHeaderMismatch && link_.over_http() && !operation.request.tool.empty();
  if (headers_differ && !std::exchange(operation.refreshed, true)) return look_up_tool(ticket, true);
  finish(ticket, std::unexpected(error_from_server(operation.request.method, std::move(error))));
}

void ClientCalls::take_result(Ticket ticket, Operation& operation, JsonObject result) {
  const auto type = find_string(result, "resultType").value_or("complete");
  if (!link_.peer() || link_.peer()->era() == Era::legacy || type == "complete") return finish(ticket, std::move(result));
  if (type == "input_required" && may_ask(operation.request.method)) return ask_inputs(ticket, operation, result);
  finish(ticket,
         call_failed(bad_answer(operation.request.method, fmt::format("has the unknown type {}", type)), Outcome::unknown));
}

void ClientCalls::ask_inputs(Ticket ticket, Operation& operation, const JsonObject& result) {
  const auto refuse = [&](std::string_view what) {
    finish(ticket, call_failed(bad_answer(operation.request.method, what), Outcome::unknown));
  };
  if (++operation.round > kMaxRounds) return refuse(fmt::format("asks for more after {} rounds", kMaxRounds));
  const JsonObject* questions = find_object(result, "inputRequests");
  const auto state = find_string(result, "requestState");
  if ((!questions || questions->empty()) && !state) return refuse("asks for nothing");
  operation.answers = {};
  operation.state = state ? std::optional<std::string>(*state) : std::nullopt;
  executor_.cancel(std::exchange(operation.timer, 0));  // the limit of the whole call goes on
  if (!questions || questions->empty()) {
    operation.pause_timer = executor_.after(kStateOnlyPause, alive_.guard([this, ticket] {
      if (Operation* waiting = find(ticket)) waiting->pause_timer = 0;
      advance(ticket);
    }));
    return;
  }
  operation.open_questions = questions->size();
  const int round = operation.round;
  for (const auto& question : *questions) {
    const JsonObject* asked = question.value().if_object();
    const std::string method(asked ? find_string(*asked, "method").value_or("") : "");
    const JsonObject* params = asked ? find_object(*asked, "params") : nullptr;
    inputs_.ask(method, params ? *params : JsonObject(),
                alive_.guard([this, ticket, round, method, key = std::string(question.key())](InputAnswer answer) {
                  input_answered(ticket, round, key, method, std::move(answer));
                }));
  }
}

void ClientCalls::input_answered(Ticket ticket, int round, const std::string& key, const std::string& method,
                                 InputAnswer answer) {
  Operation* operation = find(ticket);
  if (!operation || operation->round != round) return;
  if (!answer)
    return finish(ticket, call_failed(make_error(ErrorKind::refused,
                                                 fmt::format("{}: the server asked {}, and that was not answered: {}",
                                                             operation->request.method, method, answer.error().message)),
                                      Outcome::unknown));
  operation->answers[key] = *std::move(answer);
  if (--operation->open_questions == 0) advance(ticket);
}

}  // namespace holdfast::mcp
