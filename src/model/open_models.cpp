#include "model/open_models.h"

#include "base/log.h"
#include "model/answer_reader.h"
#include "model/chat_request.h"
#include "model/fault.h"
#include "model/http_clients.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <expected>
#include <mutex>
#include <random>
#include <thread>

namespace holdfast::model {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr std::array<std::string_view, 5> kPurposes = {"chat", "planning", "analysis", "synthesis", "refinement"};
constexpr milliseconds kAskEvery{50};            // whether the caller still wants an answer, while pausing
constexpr milliseconds kConnectTimeout{15'000};  // a server that is there accepts at once
constexpr milliseconds kLinger{2'000};           // for the usage and the end of a stream whose answer is whole
// Each token comes in an event of its own of some 300 bytes, so this is about the longest answer any model gives.
constexpr std::uint64_t kMaxTransferBytes = 128ULL << 20;

std::optional<std::string> process_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

// Servers quote keys in their complaints.
void hide(std::string& text, std::string_view key) {
  if (key.empty()) return;
  for (std::size_t at = text.find(key); at != text.npos; at = text.find(key, at)) text.replace(at, key.size(), "[key]");
}

milliseconds jittered(milliseconds pause) {
  thread_local std::minstd_rand random{std::random_device{}()};
  return milliseconds(std::uniform_int_distribution<std::int64_t>((pause.count() + 1) / 2, pause.count())(random));
}

bool gave_up(const Ask& ask) {
  return ask.cancelled && ask.cancelled();
}

Error cancelled_error() {
  return make_error(ErrorKind::cancelled, "stopped while a model was asked");
}

class HttpModels final : public Models {
 public:
  HttpModels(std::vector<Endpoint> endpoints, ModelOptions options)
      : endpoints_(std::move(endpoints)), options_(std::move(options)), dialects_(endpoints_.size()) {
    if (!options_.environment) options_.environment = process_environment;
    if (!options_.sleep) options_.sleep = [](milliseconds time) { std::this_thread::sleep_for(time); };
  }

  std::vector<std::string> providers(std::string_view purpose) const override;
  std::int64_t context_window(const Ask& ask) const override;
  Result<ModelChoice> choose(const Ask& ask) override;
  Result<Reply> complete(const Ask& ask) override;

 private:
  using Try = std::expected<Reply, Fault>;

  std::vector<std::size_t> order_for(const Ask& ask) const;
  Error nobody_to_ask(const Ask& ask) const;
  std::expected<Reply, Fault> ask_endpoint(std::size_t index, const Ask& ask, int& tries);
  Try try_once(std::size_t index, const Ask& ask);
  Try transfer(const Endpoint& endpoint, const Ask& ask, net::HttpCall call);
  Reply reply_of(const Endpoint& endpoint, const Ask& ask, Answer answer) const;
  Result<void> pause(milliseconds time, const Ask& ask) const;

  std::vector<Endpoint> endpoints_;
  ModelOptions options_;
  HttpClients clients_;
  std::mutex mutex_;
  std::vector<Dialect> dialects_;  // of the endpoint of the same place; guarded by mutex_
};

std::vector<std::string> HttpModels::providers(std::string_view purpose) const {
  Ask ask;
  ask.purpose = purpose;
  std::vector<std::string> names;
  for (const std::size_t index : order_for(ask)) names.push_back(endpoints_[index].name);
  return names;
}

std::vector<std::size_t> HttpModels::order_for(const Ask& ask) const {
  std::vector<std::size_t> order;
  const auto add = [&](const std::string& name) {
    const auto found = std::ranges::find(endpoints_, name, &Endpoint::name);
    if (found != endpoints_.end()) order.push_back(static_cast<std::size_t>(found - endpoints_.begin()));
  };
  if (!ask.provider.empty()) {
    add(ask.provider);
    return order;
  }
  if (const auto row = options_.order.find(ask.purpose); row != options_.order.end()) {
    for (const std::string& name : row->second) add(name);
  } else {
    for (const Endpoint& endpoint : endpoints_) add(endpoint.name);
  }
  return order;
}

std::int64_t HttpModels::context_window(const Ask& ask) const {
  const auto order = order_for(ask);
  return order.empty() ? 0 : endpoints_[order.front()].context_window;
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
  const Endpoint& endpoint = endpoints_[order.front()];
  ModelChoice choice;
  choice.provider = endpoint.name;
  choice.model = ask.model.empty() ? endpoint.model : ask.model;
  if (endpoint.context_window_known) choice.context = endpoint.context_window;
  return choice;
}

Result<Reply> HttpModels::complete(const Ask& ask) {
  const auto order = order_for(ask);
  if (order.empty()) return fail(nobody_to_ask(ask));
  int tries = 0;
  std::string earlier;  // what those before said
  for (std::size_t at = 0;; ++at) {
    const std::string& name = endpoints_[order[at]].name;
    auto reply = ask_endpoint(order[at], ask, tries);
    if (reply) {
      reply->tries = tries;
      return *std::move(reply);
    }
    Error error = std::move(reply.error().error);
    if (error.kind == ErrorKind::cancelled) return fail(std::move(error));
    error = std::move(error).within(name);
    error.message = earlier + error.message;
    if (reply.error().then == Fault::Then::stop || at + 1 == order.size()) return fail(std::move(error));
    log(LogLevel::warn, "model", fmt::format("{}; asking {} instead", error.message, endpoints_[order[at + 1]].name));
    earlier = error.message + "; ";
    if (ask.on_restart) ask.on_restart();
  }
}

// One endpoint until it has answered or there is no point in asking it again.
std::expected<Reply, Fault> HttpModels::ask_endpoint(std::size_t index, const Ask& ask, int& tries) {
  for (std::size_t retry = 0;; ++retry) {
    if (gave_up(ask)) return std::unexpected(Fault{cancelled_error(), Fault::Then::stop, std::nullopt});
    ++tries;
    auto reply = try_once(index, ask);
    if (reply) return reply;
    Fault& fault = reply.error();
    if (fault.then != Fault::Then::retry || retry >= options_.pauses.size()) return reply;
    if (fault.retry_after && *fault.retry_after > kLongestRetryAfter) return reply;
    const milliseconds wait = fault.retry_after.value_or(jittered(options_.pauses[retry]));
    log(LogLevel::debug, "model",
        fmt::format("{}: {}; again in {} ms", endpoints_[index].name, fault.error.message, wait.count()));
    if (auto paused = pause(wait, ask); !paused)
      return std::unexpected(Fault{std::move(paused).error(), Fault::Then::stop, std::nullopt});
    if (ask.on_restart) ask.on_restart();
  }
}

HttpModels::Try HttpModels::try_once(std::size_t index, const Ask& ask) {
  const Endpoint& endpoint = endpoints_[index];
  net::HttpCall call;
  call.method = "POST";
  call.url = endpoint.base_url + "/chat/completions";
  call.headers = {{"Content-Type", "application/json"}, {"Accept", "text/event-stream, application/json"}};
  std::string key;
  if (!endpoint.api_key_env.empty()) {
    key = options_.environment(endpoint.api_key_env).value_or("");
    if (key.empty())
      return std::unexpected(Fault{make_error(ErrorKind::invalid, fmt::format("the environment has no {}", endpoint.api_key_env),
                                              "put the key of this endpoint there", "PROVIDER_ERROR"),
                                   Fault::Then::leave, std::nullopt});
    call.headers.emplace_back("Authorization", "Bearer " + key);
  }
  for (;;) {
    Dialect dialect;
    {
      const std::lock_guard lock(mutex_);
      dialect = dialects_[index];
    }
    call.body = chat_request(endpoint, ask, dialect);
    auto reply = transfer(endpoint, ask, call);
    if (reply) return reply;
    Error& error = reply.error().error;
    if (error.kind == ErrorKind::invalid && learn(dialect, error.message)) {
      const std::lock_guard lock(mutex_);
      dialects_[index] = dialect;
      continue;  // ends: each dialect is learned once
    }
    hide(error.message, key);
    hide(error.hint, key);
    return reply;
  }
}

HttpModels::Try HttpModels::transfer(const Endpoint& endpoint, const Ask& ask, net::HttpCall call) {
  auto client = clients_.borrow();
  if (!client) return std::unexpected(Fault{std::move(client).error(), Fault::Then::stop, std::nullopt});

  const auto timeout = ask.timeout.value_or(std::chrono::seconds(endpoint.timeout_s));
  const auto deadline = SteadyClock::now() + timeout;
  std::optional<SteadyClock::time_point> whole_since;
  bool late = false, unwanted = false;
  AnswerReader reader(ask.on_text);
  call.connect_timeout = std::min(kConnectTimeout, timeout);
  call.stalled_timeout = timeout;  // a model may think for as long as its answer may take
  call.max_answer_bytes = kMaxTransferBytes;
  call.sink = [&](std::string_view bytes) { return reader.feed(bytes); };
  call.progress = [&](std::uint64_t, std::uint64_t) {
    const auto now = SteadyClock::now();
    if (reader.whole() && !whole_since) whole_since = now;
    late = now >= deadline;
    unwanted = gave_up(ask);
    return !late && !unwanted && (!whole_since || now - *whole_since < kLinger);
  };
  auto answer = (*client)->send(call);
  if (unwanted) return std::unexpected(Fault{cancelled_error(), Fault::Then::stop, std::nullopt});
  if (answer && (answer->status < 200 || answer->status > 299))
    return std::unexpected(fault_of(*answer, std::chrono::system_clock::now()));
  // A connection that breaks behind the last word takes nothing away.
  if (!answer && !reader.whole()) {
    if (reader.reported()) return std::unexpected(fault_of(answer.error(), reader.reported()));
    if (late)
      return std::unexpected(
          fault_of_transfer(make_error(ErrorKind::timeout, fmt::format("no whole answer within {} ms", timeout.count()),
                                       "raise timeout_s of this endpoint if it is only slow")));
    return std::unexpected(fault_of_transfer(answer.error()));
  }
  auto read = reader.finish();
  if (!read) return std::unexpected(fault_of(read.error(), reader.reported()));
  return reply_of(endpoint, ask, *std::move(read));
}

Reply HttpModels::reply_of(const Endpoint& endpoint, const Ask& ask, Answer answer) const {
  Reply reply;
  reply.provider = endpoint.name;
  reply.model = !answer.model.empty() ? std::move(answer.model) : ask.model.empty() ? endpoint.model : ask.model;
  reply.finish_reason = answer.finish_reason.empty() ? "stop" : std::move(answer.finish_reason);
  reply.tokens.estimated = !answer.tokens_in || !answer.tokens_out;
  reply.tokens.out = answer.tokens_out.value_or(estimate_tokens(answer.content));
  std::int64_t asked = 0;
  for (const Message& message : ask.messages) asked += estimate_tokens(message.content);
  reply.tokens.in = answer.tokens_in.value_or(asked);
  reply.content = std::move(answer.content);
  return reply;
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
