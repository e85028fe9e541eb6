#include "model/open_models.h"

#include "base/run/backoff.h"
#include "base/run/log.h"
#include "model/endpoint_client.h"
#include "model/http_clients.h"
#include "model/wire/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <expected>
#include <thread>

namespace holdfast::model {
namespace {

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
