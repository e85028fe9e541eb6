#include "model/open_models.h"

#include "base/run/backoff.h"
#include "base/run/log.h"
#include "model/served_models.h"
#include "model/wire/chat_request.h"
#include "model/wire/exchange.h"
#include "model/wire/responses.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <expected>
#include <mutex>
#include <thread>

namespace holdfast::model {
namespace {

// One endpoint, asked in the form it understands: which interface, which dialect, which model. No retries here, but for those
// that say the same in another form. Any thread.
class EndpointClient {
 public:
  // Clients and environment must live longer.
  EndpointClient(Endpoint endpoint, HttpClients& clients, const Environment& environment);
  EndpointClient(const EndpointClient&) = delete;  // served_ points into it
  EndpointClient& operator=(const EndpointClient&) = delete;

  const Endpoint& endpoint() const { return endpoint_; }

  std::expected<Reply, Fault> ask(const Ask& ask);
  // As Models::choose says, for this endpoint.
  Result<ModelChoice> choose(const Ask& ask);
  Result<void> reachable(const Ask& ask) { return served_.reachable(ask.cancelled); }
  // Has the model of that ask loaded, if this endpoint can.
  Result<void> load(const Ask& ask) { return served_.load(asked_model(endpoint_, ask), ask.cancelled); }

 private:
  std::string model_for(const Ask& ask);
  std::expected<Reply, Fault> ask_responses(const Ask& ask, const std::string& model, Question question);
  std::expected<Reply, Fault> ask_chat(const Ask& ask, const std::string& model, Question question);
  Reply reply_of(const Ask& ask, const std::string& model, Answer answer) const;
  Dialect dialect();
  void speak(const Dialect& learned);

  const Endpoint endpoint_;
  HttpClients& clients_;
  const Environment& environment_;
  ServedModels served_;
  ResponseMemory memory_;
  std::mutex mutex_;
  Dialect dialect_;  // guarded by mutex_
};

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

using std::chrono::milliseconds;

constexpr std::array<std::string_view, 5> kPurposes = {"chat", "planning", "analysis", "synthesis", "refinement"};

std::optional<std::string> process_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

bool gave_up(const Ask& ask) {
  return ask.cancelled && ask.cancelled();
}

class HttpModels final : public Models {
 public:
  HttpModels(std::vector<Endpoint> endpoints, ModelOptions options) : options_(std::move(options)) {
    if (!options_.environment) options_.environment = process_environment;
    for (Endpoint& endpoint : endpoints)
      endpoints_.push_back(std::make_unique<EndpointClient>(std::move(endpoint), clients_, options_.environment));
    if (!options_.sleep) options_.sleep = [](milliseconds time) { std::this_thread::sleep_for(time); };
  }

  std::vector<std::string> providers(std::string_view purpose) const override;
  std::int64_t context_window(const Ask& ask) const override;
  Result<ModelChoice> choose(const Ask& ask) override;
  Result<Reply> complete(const Ask& ask) override;
  Result<void> reachable(const Ask& ask) override;

 private:
  std::vector<EndpointClient*> order_for(const Ask& ask) const;
  Error nobody_to_ask(const Ask& ask) const;
  std::expected<Reply, Fault> ask_endpoint(EndpointClient& client, const Ask& ask, int& tries);
  std::optional<milliseconds> pause_before(std::size_t retry, const Ask& ask) const;
  Result<void> pause(milliseconds time, const Ask& ask) const;

  ModelOptions options_;
  HttpClients clients_;
  std::vector<std::unique_ptr<EndpointClient>> endpoints_;  // refer to the two above
};

std::vector<std::string> HttpModels::providers(std::string_view purpose) const {
  Ask ask;
  ask.purpose = purpose;
  std::vector<std::string> names;
  for (const EndpointClient* client : order_for(ask)) names.push_back(client->endpoint().name);
  return names;
}

std::vector<EndpointClient*> HttpModels::order_for(const Ask& ask) const {
  std::vector<EndpointClient*> order;
  const auto add = [&](const std::string& name) {
    for (const auto& client : endpoints_)
      if (client->endpoint().name == name) order.push_back(client.get());
  };
  if (!ask.provider.empty()) {
    add(ask.provider);
    return order;
  }
  if (const auto row = options_.order.find(ask.purpose); row != options_.order.end()) {
    for (const std::string& name : row->second) add(name);
  } else {
    for (const auto& client : endpoints_) order.push_back(client.get());
  }
  return order;
}

std::int64_t HttpModels::context_window(const Ask& ask) const {
  const auto order = order_for(ask);
  return order.empty() ? 0 : order.front()->endpoint().context_window;
}

Error HttpModels::nobody_to_ask(const Ask& ask) const {
  if (endpoints_.empty() || ask.provider.empty())
    return make_error(ErrorKind::refused, "no language model is configured", "set llm in config.json (docs/conversations.md)",
                      "NO_LLM_PROVIDER");
  return make_error(ErrorKind::refused, fmt::format("no endpoint is called {}", ask.provider),
                    fmt::format("configured are {}", fmt::join(providers({}), ", ")), "NO_LLM_PROVIDER");
}

Result<ModelChoice> HttpModels::choose(const Ask& ask) {
  const auto order = order_for(ask);
  if (order.empty()) return fail(nobody_to_ask(ask));
  std::optional<Error> missing;  // where it was looked for first
  for (EndpointClient* client : order) {
    auto choice = client->choose(ask);
    if (choice || choice.error().kind != ErrorKind::not_found) return choice;
    if (!missing) missing = std::move(choice).error().within(client->endpoint().name);
  }
  return fail(*std::move(missing));
}

Result<void> HttpModels::reachable(const Ask& ask) {
  const auto order = order_for(ask);
  if (order.empty()) return fail(nobody_to_ask(ask));
  std::optional<Error> first;
  for (EndpointClient* client : order) {
    auto there = client->reachable(ask);
    if (there) return there;
    if (!first) first = std::move(there).error().within(client->endpoint().name);
  }
  return fail(*std::move(first));
}

Result<Reply> HttpModels::complete(const Ask& ask) {
  const auto order = order_for(ask);
  if (order.empty()) return fail(nobody_to_ask(ask));
  int tries = 0;
  std::string earlier;  // what those before said
  for (std::size_t at = 0;; ++at) {
    const std::string& name = order[at]->endpoint().name;
    auto reply = ask_endpoint(*order[at], ask, tries);
    if (reply) {
      reply->tries = tries;
      return *std::move(reply);
    }
    Error error = std::move(reply.error().error);
    if (error.kind == ErrorKind::cancelled) return fail(std::move(error));
    error = std::move(error).within(name);
    error.message = earlier + error.message;
    if (reply.error().then == Fault::Then::stop || at + 1 == order.size()) return fail(std::move(error));
    log(LogLevel::warn, "model", fmt::format("{}; asking {} instead", error.message, order[at + 1]->endpoint().name));
    earlier = error.message + "; ";
    if (ask.on_restart) ask.on_restart();
  }
}

// Before the next try; nullopt: there is none.
std::optional<milliseconds> HttpModels::pause_before(std::size_t retry, const Ask& ask) const {
  constexpr milliseconds kFirst{1'000}, kLongest{60'000};  // of an ask that says how many it wants
  if (ask.attempts && retry + 1 >= static_cast<std::size_t>(*ask.attempts)) return std::nullopt;
  if (ask.attempts) return doubled(kFirst, retry, kLongest);
  return retry < options_.pauses.size() ? std::optional(options_.pauses[retry]) : std::nullopt;
}

// One endpoint until it has answered or there is no point in asking it again.
std::expected<Reply, Fault> HttpModels::ask_endpoint(EndpointClient& client, const Ask& ask, int& tries) {
  bool loaded = false;
  for (std::size_t retry = 0;;) {
    if (gave_up(ask)) return std::unexpected(Fault{cancelled_error(), Fault::Then::stop});
    ++tries;
    auto reply = client.ask(ask);
    if (reply) return reply;
    Fault& fault = reply.error();
    if (fault.model_missing && !loaded) {  // it may only have to be loaded; once, since each load may make an instance
      loaded = true;
      const auto load = client.load(ask);
      if (load) continue;
      if (load.error().kind == ErrorKind::cancelled) return std::unexpected(Fault{load.error(), Fault::Then::stop});
      if (fault.error.hint.empty() || load.error().kind == ErrorKind::not_found) fault.error.hint = load.error().hint;
    }
    const auto planned = pause_before(retry, ask);
    if (fault.then != Fault::Then::retry || !planned) return reply;
    if (fault.retry_after && *fault.retry_after > kLongestRetryAfter) return reply;
    const milliseconds wait = fault.retry_after.value_or(jittered(*planned, 0.5, 1));
    log(LogLevel::debug, "model",
        fmt::format("{}: {}; again in {} ms", client.endpoint().name, fault.error.message, wait.count()));
    if (auto paused = pause(wait, ask); !paused) return std::unexpected(Fault{std::move(paused).error(), Fault::Then::stop});
    if (ask.on_restart) ask.on_restart();
    ++retry;
  }
}

Result<void> HttpModels::pause(milliseconds time, const Ask& ask) const {
  for (; time.count() > 0; time -= kAskEvery) {
    if (gave_up(ask)) return fail(cancelled_error());
    options_.sleep(std::min(time, kAskEvery));
  }
  return {};
}

}  // namespace

Result<Order> read_order(const Json& setting, const std::vector<Endpoint>& endpoints) {
  Order order;
  if (setting.is_null()) return order;
  if (!setting.is_object())
    return fail(ErrorKind::invalid, "llm_order must be an object", "for example {\"chat\": [\"local\", \"cloud\"]}",
                "VALIDATION_ERROR");
  for (const auto& [purpose, names] : setting.as_object()) {
    const std::string where = fmt::format("llm_order.{}", std::string_view(purpose));
    if (std::ranges::find(kPurposes, std::string_view(purpose)) == kPurposes.end())
      return fail(ErrorKind::invalid, where + " is not known", fmt::format("known are {}", fmt::join(kPurposes, ", ")),
                  "VALIDATION_ERROR");
    if (!names.is_array())
      return fail(ErrorKind::invalid, where + " must be a list of names of endpoints", {}, "VALIDATION_ERROR");
    auto& row = order[std::string(purpose)];
    for (const Json& name : names.as_array()) {
      const std::string_view text = name.is_string() ? view(name.as_string()) : std::string_view();
      if (std::ranges::find(endpoints, text, &Endpoint::name) == endpoints.end())
        return fail(ErrorKind::invalid, fmt::format("{}: no endpoint is called {}", where, to_json(name)),
                    "names are those of llm[].name", "VALIDATION_ERROR");
      row.emplace_back(text);
    }
  }
  return order;
}

std::unique_ptr<Models> make_models(std::vector<Endpoint> endpoints, ModelOptions options) {
  return std::make_unique<HttpModels>(std::move(endpoints), std::move(options));
}

}  // namespace holdfast::model
