#include "mcp/client/client_calls.h"

#include "mcp/client/client_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace holdfast::mcp {
namespace {

Error lost_with_connection(const CallRequest& request, const Error& why, bool sent) {
  return make_error(ErrorKind::unavailable,
                    fmt::format("{}: the connection to the server was lost{}: {}", request.method,
                                sent ? ", and whether it was executed is not known" : " before it was sent", why.message),
                    sent ? "find out what it did before you repeat it" : "repeat it", "connection_lost");
}

Error bad_answer(std::string_view method, std::string_view what) {
  return make_error(ErrorKind::corrupt, fmt::format("{}: the server's answer {}", method, what));
}

bool may_ask(std::string_view method) {
  return method == "tools/call" || method == "prompts/get" || method == "resources/read";
}

}  // namespace

ClientCalls::ClientCalls(const ClientOptions& options, const ClientIdentity& identity, Executor& executor, ClientLink& link,
                         ClientInputs& inputs, ClientCounts& counts, LookUp look_up)
    : options_(options),
      identity_(identity),
      executor_(executor),
      link_(link),
      inputs_(inputs),
      counts_(counts),
      look_up_(std::move(look_up)) {}

ClientCalls::~ClientCalls() {
  for (auto& [ticket, operation] : operations_)
    for (const TimerId timer : {operation.timer, operation.limit_timer, operation.pause_timer}) executor_.cancel(timer);
}

ClientCalls::Operation* ClientCalls::find(Ticket ticket) {
  const auto found = operations_.find(ticket);
  return found == operations_.end() ? nullptr : &found->second;
}

ClientCalls::Operation* ClientCalls::on_wire(RequestId id, Ticket& ticket) {
  const auto found = on_wire_.find(id);
  if (found == on_wire_.end()) return nullptr;
  ticket = found->second;
  return find(ticket);
}

ClientCalls::Ticket ClientCalls::start(CallRequest request, Client::Done done) {
  const Ticket ticket = ++last_ticket_;
  const bool full = operations_.size() >= kMaxCalls;
  Operation& operation = operations_[ticket];
  operation.request = std::move(request);
  operation.done = std::move(done);
  if (full) {
    finish(ticket,
           call_failed(make_error(ErrorKind::unavailable, fmt::format("{} calls of this server are not over", kMaxCalls))));
    return ticket;
  }
  if (link_.state() == ClientState::closed) {
    finish(ticket, call_failed(make_error(ErrorKind::cancelled, "the connection to the server has been closed")));
    return ticket;
  }
  arm(ticket, operation);
  const auto limit = operation.request.options.limit.value_or(options_.call_limit);
  operation.limit_timer = executor_.after(limit, alive_.guard([this, ticket, limit] { expired(ticket, limit); }));
  link_.want();
  advance(ticket);
  return ticket;
}

// The silence that is allowed; begins anew with progress and with every leg.
void ClientCalls::arm(Ticket ticket, Operation& operation) {
  executor_.cancel(operation.timer);
  const auto timeout = operation.request.options.timeout.value_or(options_.call_timeout);
  operation.timer = executor_.after(timeout, alive_.guard([this, ticket, timeout] {
    Operation* late = find(ticket);
    // While we answer a question of the server, or somebody is asked whether we may, it is not the server that is slow.
    if (late && (inputs_.being_answered() > 0 || link_.awaits_permission())) return arm(ticket, *late);
    expired(ticket, timeout);
  }));
}

void ClientCalls::advance(Ticket ticket) {
  Operation* operation = find(ticket);
  if (!operation || operation->wire_id != 0 || operation->open_questions != 0 || operation->pause_timer != 0 || !link_.peer())
    return;
  if (!operation->request.tool.empty() && !operation->looked_up) return look_up_tool(ticket, false);
  send_leg(ticket, *operation);
}

void ClientCalls::look_up_tool(Ticket ticket, bool fresh) {
  find(ticket)->looked_up = true;
  // Counted as a question, so that nothing else sends it meanwhile.
  find(ticket)->open_questions = 1;
  look_up_(find(ticket)->request.tool, fresh, alive_.guard([this, ticket](const RemoteTool* tool) {
    Operation* operation = find(ticket);
    if (!operation) return;
    operation->open_questions = 0;
    if (tool) {
      operation->headers = tool->headers;
      operation->request.repeatable = tool->read_only || tool->idempotent;
    }
    advance(ticket);
  }));
}

void ClientCalls::send_leg(Ticket ticket, Operation& operation) {
  const CallRequest& request = operation.request;
  const Version version = link_.peer()->version;
  const RequestId id = link_.next_id();
  JsonObject params = request.params;
  if (!operation.answers.empty()) params["inputResponses"] = operation.answers;
  if (operation.state) params["requestState"] = *operation.state;
  JsonObject meta = request.options.meta;
  if (request.options.on_progress) meta["progressToken"] = id;
  std::vector<std::pair<std::string, std::string>> headers;
  if (era_of(version) == Era::modern) {
    if (request.options.log_level) meta["io.modelcontextprotocol/logLevel"] = name_of(*request.options.log_level);
    if (!meta.empty()) params["_meta"] = std::move(meta);
    add_envelope(params, identity_, version);
  } else if (!meta.empty()) {
    params["_meta"] = std::move(meta);
  }
  const bool renamed = era_of(version) == Era::modern && !request.modern_method.empty();
  const std::string& method = renamed ? request.modern_method : request.method;
  if (era_of(version) == Era::modern && link_.over_http()) headers = modern_headers(version, method, params, operation.headers);
  std::string text = write_request(id, method, params);
  if (text.size() > kMaxOutgoingBytes)
    return finish(ticket, call_failed(make_error(ErrorKind::too_large,
                                                 fmt::format("{}: a request of {} bytes; servers take at most {}", request.method,
                                                             text.size(), kMaxOutgoingBytes),
                                                 "send less at once")));
  auto sent = link_.send({std::move(text), method, id, std::move(headers)});
  if (!sent) return finish(ticket, call_failed(std::move(sent).error()));
  ++counts_.requests;
  operation.wire_id = id;
  operation.sent = true;
  on_wire_[id] = ticket;
  arm(ticket, operation);
}

void ClientCalls::take_off_wire(Operation& operation) {
  on_wire_.erase(std::exchange(operation.wire_id, 0));
}

void ClientCalls::finish(Ticket ticket, CallResult<JsonObject> result) {
  auto node = operations_.extract(ticket);
  if (node.empty()) return;
  Operation& operation = node.mapped();
  on_wire_.erase(operation.wire_id);
  for (const TimerId timer : {operation.timer, operation.limit_timer, operation.pause_timer}) executor_.cancel(timer);
  executor_.post(
      alive_.guard([done = std::move(operation.done), result = std::move(result)]() mutable { done(std::move(result)); }));
}

void ClientCalls::expired(Ticket ticket, std::chrono::milliseconds after) {
  Operation* operation = find(ticket);
  if (!operation) return;
  ++counts_.timeouts;
  give_up(ticket, make_error(ErrorKind::timeout,
                             fmt::format("{}: no answer within {} ms{}", operation->request.method, after.count(),
                                         operation->sent ? "; whether it was executed is not known" : ": it was never sent")));
}

void ClientCalls::cancel(Ticket ticket) {
  if (Operation* operation = find(ticket))
    give_up(ticket, make_error(ErrorKind::cancelled, operation->request.method + " was cancelled"));
}

// Ends it on our side, and tells the server in the way of its era.
void ClientCalls::give_up(Ticket ticket, Error why) {
  const Operation& operation = *find(ticket);
  if (operation.wire_id != 0 && link_.peer()) {
    const bool closing_says_it = link_.over_http() && link_.peer()->era() == Era::modern;
    if (!closing_says_it)
      // A message that cannot be sent leaves the server working for nobody; there is nothing else to do about it.
      std::ignore =
          link_.send({write_notification("notifications/cancelled", {{"requestId", operation.wire_id}, {"reason", why.message}}),
                      "notifications/cancelled",
                      0,
                      {}});
    link_.abandon(operation.wire_id);
  }
  const Outcome outcome = operation.sent ? Outcome::unknown : Outcome::not_executed;
  finish(ticket, call_failed(std::move(why), outcome));
}

void ClientCalls::ready() {
  std::vector<Ticket> all;
  for (const auto& [ticket, operation] : operations_) all.push_back(ticket);
  for (const Ticket ticket : all) advance(ticket);
}

bool ClientCalls::repeat_after_loss(Ticket ticket, Operation& operation) {
  if (!options_.repeat_safe_calls || !operation.request.repeatable || std::exchange(operation.repeated, true)) return false;
  ++counts_.repeated;
  take_off_wire(operation);
  advance(ticket);
  return true;
}

void ClientCalls::lost(const Error& why) {
  std::vector<Ticket> under_way;
  for (const auto& [id, ticket] : on_wire_) under_way.push_back(ticket);
  std::ranges::sort(under_way);
  for (const Ticket ticket : under_way) {
    Operation* operation = find(ticket);
    if (!operation || repeat_after_loss(ticket, *operation)) continue;
    finish(ticket, call_failed(lost_with_connection(operation->request, why, true), Outcome::unknown));
  }
}

void ClientCalls::fail_waiting(const Error& why) {
  std::vector<Ticket> all;
  for (const auto& [ticket, operation] : operations_) all.push_back(ticket);
  for (const Ticket ticket : all) {
    const bool sent = find(ticket)->sent;
    finish(ticket,
           call_failed(lost_with_connection(find(ticket)->request, why, sent), sent ? Outcome::unknown : Outcome::not_executed));
  }
}

void ClientCalls::fail_all(const Error& why) {
  std::vector<Ticket> all;
  for (const auto& [ticket, operation] : operations_) all.push_back(ticket);
  for (const Ticket ticket : all) give_up(ticket, why);
}

bool ClientCalls::take_undelivered(RequestId id, const Undelivered& why) {
  Ticket ticket = 0;
  Operation* operation = on_wire(id, ticket);
  if (!operation) return false;
  if (why.again && !std::exchange(operation->repeated, true)) {
    take_off_wire(*operation);  // ready() sends it
    return true;
  }
  if (why.reached) {
    if (!repeat_after_loss(ticket, *operation))
      finish(ticket, call_failed(lost_with_connection(operation->request, why.error, true), Outcome::unknown));
    return true;
  }
  finish(ticket, call_failed(why.error));
  return true;
}

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
