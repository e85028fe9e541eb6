#pragma once

// What an endpoint serves, and which of it an ask goes to.
//
// `GET {base_url}/models` lists what CAN be served. LM Studio also tells which models are loaded and how long their windows are,
// at /api/v1/models (since 0.4) or /api/v0/models (since 0.3.6); those are asked first, and not again once an endpoint turned out
// not to have them. A list is kept for kListKept; a name that is not in it is looked for once in a fresh one.
//
// ServedModels belongs to one endpoint and may be used by any thread; its calls block for a request. Errors: unavailable,
// timeout, cancelled, corrupt (no list of models), invalid (the endpoint refuses); their code is PROVIDER_ERROR or
// PROVIDER_TIMEOUT.

#include "model/endpoint.h"
#include "model/models.h"
#include "model/wire/exchange.h"

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::model {

inline constexpr std::chrono::seconds kListKept{60};

struct ServedModel {
  std::string id;
  std::string of;                       // what it is an instance of; its own id when it is none
  bool embedding = false;               // cannot answer
  std::optional<bool> loaded;           // absent: the endpoint does not say
  std::optional<std::int64_t> context;  // of what is loaded, else the longest that can be
  std::optional<double> billions;       // of parameters: said, or read from the name
  bool any_name = false;                // whatever name is sent, this one answers (llama.cpp)
};

enum class ListForm { lmstudio_v1, lmstudio_v0, openai };
// One document that lists models. nullopt when it is none of that form (LM Studio answers 200 to paths it does not know). Entries
// that are not understood are left out.
std::optional<std::vector<ServedModel>> read_served(const Json& document, ListForm form);

// The model to use: `wanted` if it is there, also as another instance (`name:2` is a second one of `name`; one that is loaded is
// better than loading another); for an empty name or "default" one that is loaded, else the smallest. nullptr: there is none.
const ServedModel* pick_model(const std::vector<ServedModel>& served, std::string_view wanted);

// Parameters in billions as a name tells them: "qwen3-4b" 4, "mixtral-8x7b" 56, "smollm-135m" 0.135.
std::optional<double> billions_in(std::string_view name);

class ServedModels {
 public:
  using Cancelled = std::function<bool()>;
  using SteadyClock = std::chrono::steady_clock;

  // The endpoint, the clients and what the functions refer to must live longer. `now` is for tests.
  ServedModels(const Endpoint& endpoint, HttpClients& clients, const Environment& environment,
               std::function<SteadyClock::time_point()> now = SteadyClock::now);

  // Errors, beside those above: not_found MODEL_NOT_FOUND, listing what exists.
  Result<ServedModel> choose(std::string_view wanted, const Cancelled& cancelled);

  // Whether the endpoint answers, and lets us in. Asks it, whatever is known.
  Result<void> reachable(const Cancelled& cancelled);

  // Has LM Studio load it, unless it is loaded: a second load makes a second instance. Only one caller loads at a time. Errors
  // also when the endpoint knows no loading.
  Result<void> load(std::string_view wanted, const Cancelled& cancelled);

 private:
  using Served = std::vector<ServedModel>;

  Result<void> load_now(std::string_view wanted, const Cancelled& cancelled);
  Result<Served> fetch(const Cancelled& cancelled);
  Result<std::optional<Served>> fetch(ListForm form, const Cancelled& cancelled);
  Result<net::HttpAnswer> send(net::HttpCall call, std::chrono::milliseconds limit, const Cancelled& cancelled);
  std::unexpected<Error> none_called(std::string_view wanted, const Served& served) const;

  const Endpoint& endpoint_;
  HttpClients& clients_;
  const Environment& environment_;
  const std::function<SteadyClock::time_point()> now_;
  std::mutex mutex_;
  Served served_;                                   // guarded by mutex_, as are all below
  std::optional<SteadyClock::time_point> fetched_;  // absent: never
  ListForm form_ = ListForm::lmstudio_v1;           // the first that this endpoint may have
  bool loading_ = false;
};

}  // namespace holdfast::model
