#include "model/served_models.h"

#include "base/text/text.h"
#include "model/wire/exchange.h"
#include "model/wire/fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace holdfast::model {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr milliseconds kListTimeout{5'000};    // nothing is computed for it
constexpr milliseconds kLoadTimeout{120'000};  // as long as an answer may wait for its model
constexpr std::size_t kMaxListBytes = 8 << 20;
constexpr std::size_t kNamesShown = 30;  // of what exists, in an error

std::string_view path_of(ListForm form) {
  return form == ListForm::lmstudio_v1 ? "/api/v1/models" : "/api/v0/models";
}

ListForm next(ListForm form) {
  return form == ListForm::lmstudio_v1 ? ListForm::lmstudio_v0 : ListForm::openai;
}

// The endpoint has no such path: asking again would not help. 401 and the like say nothing about paths.
bool says_no_such_path(int status) {
  return status == 404 || status == 405 || status == 400 || status == 501;
}

Error code_of(Error error) {
  if (error.kind != ErrorKind::cancelled) error.code = error.kind == ErrorKind::timeout ? "PROVIDER_TIMEOUT" : "PROVIDER_ERROR";
  return error;
}

}  // namespace

ServedModels::ServedModels(const Endpoint& endpoint, HttpClients& clients, const Environment& environment,
                           std::function<SteadyClock::time_point()> now)
    : endpoint_(endpoint), clients_(clients), environment_(environment), now_(std::move(now)) {}

Result<ServedModel> ServedModels::choose(std::string_view wanted, const Cancelled& cancelled) {
  {
    const std::lock_guard lock(mutex_);
    if (fetched_ && now_() - *fetched_ < kListKept)
      if (const ServedModel* found = pick_model(served_, wanted)) return *found;
  }
  HF_TRY(const Served served, fetch(cancelled));
  const ServedModel* found = pick_model(served, wanted);
  if (!found) return none_called(wanted, served);
  return *found;
}

std::unexpected<Error> ServedModels::none_called(std::string_view wanted, const Served& served) const {
  std::vector<std::string_view> names;
  for (const ServedModel& model : served)
    if (!model.embedding && names.size() < kNamesShown) names.push_back(model.id);
  const std::string hint = names.empty()
                               ? "it has no model that can answer; download one there first"
                               : fmt::format("it has {}{}", fmt::join(names, ", "), names.size() == kNamesShown ? ", …" : "");
  const bool any = wanted.empty() || wanted == kDefaultModel;
  return fail(ErrorKind::not_found, any ? "it serves no model" : fmt::format("it serves no model called {}", wanted), hint,
              "MODEL_NOT_FOUND");
}

Result<void> ServedModels::load(std::string_view wanted, const Cancelled& cancelled) {
  for (;; std::this_thread::sleep_for(kAskEvery)) {
    if (cancelled && cancelled()) return fail(cancelled_error());
    const std::lock_guard lock(mutex_);
    if (!std::exchange(loading_, true)) break;
  }
  auto loaded = load_now(wanted, cancelled);
  const std::lock_guard lock(mutex_);
  loading_ = false;
  fetched_.reset();
  return loaded;
}

Result<void> ServedModels::load_now(std::string_view wanted, const Cancelled& cancelled) {
  HF_TRY(const Served served, fetch(cancelled));
  const ServedModel* found = pick_model(served, wanted);
  if (!found) return none_called(wanted, served);
  if (!found->loaded) return fail(ErrorKind::refused, "this endpoint cannot be told to load a model");
  if (*found->loaded) return {};  // another caller has done it meanwhile
  net::HttpCall call;
  call.method = "POST";
  call.url = native_url_of(endpoint_, "/api/v1/models/load");
  call.headers = {{"Content-Type", "application/json"}};
  call.body = to_json(JsonObject{{"model", found->id}});
  HF_TRY(const net::HttpAnswer answer, send(std::move(call), kLoadTimeout, cancelled));
  if (answer.status < 200 || answer.status > 299) return fail(fault_of(answer, std::chrono::system_clock::now()).error);
  const auto said = parse_json(answer.body);
  if (said && reported_error(*said)) return fail(ErrorKind::unavailable, reported_error(*said)->message);
  return {};
}

Result<void> ServedModels::reachable(const Cancelled& cancelled) {
  net::HttpCall call;
  call.url = url_of(endpoint_, "/models");
  HF_TRY(const net::HttpAnswer answer, send(std::move(call), kListTimeout, cancelled));
  const bool shut_out = answer.status == 401 || answer.status == 403;
  // Whatever else it says, it is there: some serve no list.
  if (!shut_out && answer.status != 429 && (answer.status < 500 || answer.status == 501)) return {};
  Error error = fault_of(answer, std::chrono::system_clock::now()).error;
  if (shut_out) error.kind = ErrorKind::unauthorised;
  return fail(std::move(error));
}

// A fresh list, which is kept.
Result<ServedModels::Served> ServedModels::fetch(const Cancelled& cancelled) {
  ListForm form{};
  {
    const std::lock_guard lock(mutex_);
    form = form_;
  }
  for (;; form = next(form)) {
    HF_TRY(auto served, fetch(form, cancelled));
    if (!served && form != ListForm::openai) continue;
    if (!served)
      return fail(ErrorKind::corrupt, "the endpoint does not list its models",
                  "is base_url the address of an OpenAI-compatible server?", "PROVIDER_ERROR");
    const std::lock_guard lock(mutex_);
    form_ = form;
    fetched_ = now_();
    served_ = *served;
    return *std::move(served);
  }
}

// nullopt: the endpoint has no such list.
Result<std::optional<ServedModels::Served>> ServedModels::fetch(ListForm form, const Cancelled& cancelled) {
  net::HttpCall call;
  call.url = form == ListForm::openai ? url_of(endpoint_, "/models") : native_url_of(endpoint_, path_of(form));
  HF_TRY(const net::HttpAnswer answer, send(std::move(call), kListTimeout, cancelled));
  if (says_no_such_path(answer.status)) return std::nullopt;
  if (answer.status < 200 || answer.status > 299) return fail(fault_of(answer, std::chrono::system_clock::now()).error);
  const auto document = parse_json(answer.body);
  return document ? read_served(*document, form) : std::nullopt;
}

Result<net::HttpAnswer> ServedModels::send(net::HttpCall call, milliseconds limit, const Cancelled& cancelled) {
  HF_TRY(const std::string key, key_of(endpoint_, environment_));
  if (!key.empty()) call.headers.emplace_back("Authorization", "Bearer " + key);
  HF_TRY(auto client, clients_.borrow());
  const auto deadline = SteadyClock::now() + limit;
  bool late = false, unwanted = false;
  call.connect_timeout = std::min(call.connect_timeout, limit);
  call.stalled_timeout = limit;
  call.max_answer_bytes = kMaxListBytes;
  call.progress = [&](std::uint64_t, std::uint64_t) {
    late = SteadyClock::now() >= deadline;
    unwanted = cancelled && cancelled();
    return !late && !unwanted;
  };
  auto answer = client->send(call);
  if (answer) {
    if (answer->status > 299) hide_key(answer->body, key);  // a complaint; in a list it may be part of a name
    return *std::move(answer);
  }
  if (unwanted) return fail(cancelled_error());
  Error error =
      late ? make_error(ErrorKind::timeout, fmt::format("no answer within {} ms", limit.count())) : std::move(answer).error();
  hide_key(error, key);
  return fail(code_of(std::move(error)));
}

}  // namespace holdfast::model
