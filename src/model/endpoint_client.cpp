#include "model/endpoint_client.h"

#include "base/run/log.h"

#include <fmt/format.h>

namespace holdfast::model {

EndpointClient::EndpointClient(Endpoint endpoint, HttpClients& clients, const Environment& environment)
    : endpoint_(std::move(endpoint)), clients_(clients), environment_(environment), served_(endpoint_, clients_, environment_) {}

Dialect EndpointClient::dialect() {
  const std::lock_guard lock(mutex_);
  return dialect_;
}

void EndpointClient::speak(const Dialect& learned) {
  const std::lock_guard lock(mutex_);  // another thread may have learned something else meanwhile
  dialect_.max_completion_tokens |= learned.max_completion_tokens;
  dialect_.no_stream_options |= learned.no_stream_options;
  dialect_.no_responses |= learned.no_responses;
}

// What the request names. Servers that serve one model need no name, so it is looked for only on demand.
std::string EndpointClient::model_for(const Ask& ask) {
  const std::string& named = asked_model(endpoint_, ask);
  if (!named.empty() || (ask.model != kDefaultModel && endpoint_.model != kDefaultModel)) return named;
  const auto found = served_.choose({}, ask.cancelled);
  return found ? found->id : std::string();  // the request itself shows what is wrong
}

std::expected<Reply, Fault> EndpointClient::ask(const Ask& ask) {
  auto key = key_of(endpoint_, environment_);
  if (!key) return std::unexpected(Fault{std::move(key).error(), Fault::Then::leave});
  Question question;
  question.key = *key;
  question.timeout = ask.timeout.value_or(std::chrono::seconds(endpoint_.timeout_s));
  question.first_byte = ask.first_byte;
  question.reading.may_be_empty = ask.may_be_empty;
  question.reading.tools = !ask.tools.empty();
  question.on_text = ask.on_text;
  question.cancelled = ask.cancelled;
  const std::string model = model_for(ask);
  const bool remembers = endpoint_.api == Api::responses && !dialect().no_responses;
  auto reply = remembers ? ask_responses(ask, model, question) : ask_chat(ask, model, question);
  if (!reply && remembers && says_no_responses(reply.error())) {
    log(LogLevel::info, "model", fmt::format("{} has no /responses; using /chat/completions from now on", endpoint_.name));
    Dialect known = dialect();
    known.no_responses = true;
    speak(known);
    reply = ask_chat(ask, model, std::move(question));
  }
  if (!reply) hide_key(reply.error().error, *key);
  return reply;
}

std::expected<Reply, Fault> EndpointClient::ask_responses(const Ask& ask, const std::string& model, Question question) {
  question.url = url_of(endpoint_, "/responses");
  question.reading.api = Api::responses;
  const auto known = memory_.find(ask, model);
  question.body = responses_request(endpoint_, ask, model, known);
  auto answer = exchange(clients_, question);
  if (!answer && known && says_unknown_response(answer.error())) {
    question.body = responses_request(endpoint_, ask, model, std::nullopt);
    answer = exchange(clients_, question);
  }
  if (!answer) return std::unexpected(std::move(answer).error());
  std::string id = std::move(answer->response_id);
  Reply reply = reply_of(ask, model, *std::move(answer));
  memory_.remember(ask, model, reply, std::move(id));
  return reply;
}

std::expected<Reply, Fault> EndpointClient::ask_chat(const Ask& ask, const std::string& model, Question question) {
  question.url = url_of(endpoint_, "/chat/completions");
  for (;;) {
    Dialect spoken = dialect();
    question.body = chat_request(endpoint_, ask, model, spoken);
    auto answer = exchange(clients_, question);
    if (answer) return reply_of(ask, model, *std::move(answer));
    const Error& error = answer.error().error;
    if (error.kind != ErrorKind::invalid || !learn(spoken, error.message)) return std::unexpected(std::move(answer).error());
    speak(spoken);  // ends: each dialect is learned once
  }
}

Reply EndpointClient::reply_of(const Ask& ask, const std::string& model, Answer answer) const {
  Reply reply;
  reply.provider = endpoint_.name;
  reply.model = !answer.model.empty() ? std::move(answer.model) : model;
  reply.finish_reason = answer.finish_reason.empty() ? "stop" : std::move(answer.finish_reason);
  reply.tokens.estimated = !answer.tokens_in || !answer.tokens_out;
  reply.tokens.out = answer.tokens_out.value_or(estimate_tokens(answer.content));
  reply.tokens.in = answer.tokens_in.value_or(estimate_prompt(ask));
  if (endpoint_.tool_calls_in_text && !ask.tools.empty() && answer.tools.calls.empty())
    answer.tools = take_calls_in_text(answer.content, ask.tools);
  reply.content = std::move(answer.content);
  reply.reasoning = std::move(answer.reasoning);
  reply.tool_calls = std::move(answer.tools.calls);
  reply.message.role = "assistant";
  reply.message.content = reply.content;
  reply.message.tool_calls = std::move(answer.tools.wire);
  return reply;
}

Result<ModelChoice> EndpointClient::choose(const Ask& ask) {
  ModelChoice choice;
  choice.provider = endpoint_.name;
  choice.model = asked_model(endpoint_, ask);
  const auto found = served_.choose(choice.model, ask.cancelled);
  if (found) {
    choice.model = found->id;
    choice.context = found->context;
    choice.loaded = found->loaded.value_or(false);
  } else if (found.error().kind == ErrorKind::cancelled || found.error().kind == ErrorKind::not_found) {
    return fail(found.error());
  } else {  // believed: the ask itself shows whether it is there
    log(LogLevel::debug, "model", fmt::format("{}: {}", endpoint_.name, found.error().message));
  }
  if (endpoint_.context_window_known) choice.context = endpoint_.context_window;
  return choice;
}

}  // namespace holdfast::model
