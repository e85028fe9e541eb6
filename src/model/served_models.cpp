#include "model/served_models.h"

#include "base/text/text.h"
#include "model/wire/fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
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

constexpr std::string_view kEmbeddingStart = "text-embedding-";
constexpr std::array<std::string_view, 3> kLoadedStates = {"loaded", "idle", "processing"};
constexpr double kUnknownSize = 1e9;  // behind all that are known

// `name` of `name:2`; all of it when it is no instance.
std::string_view without_instance(std::string_view id) {
  const std::size_t colon = id.rfind(':');
  if (colon == id.npos || colon + 1 == id.size()) return id;
  return std::ranges::all_of(id.substr(colon + 1), is_ascii_digit) ? id.substr(0, colon) : id;
}

bool is_embedding(std::string_view id, std::string_view type) {
  return type == "embedding" || type == "embeddings" || without_instance(id).starts_with(kEmbeddingStart);
}

std::optional<std::int64_t> positive(const JsonObject& object, std::string_view key) {
  const auto number = find_int(object, key);
  return number && *number > 0 ? number : std::nullopt;
}

ServedModel basics(const JsonObject& entry, std::string_view id) {
  ServedModel model;
  model.id = id;
  model.of = without_instance(id);
  model.embedding = is_embedding(id, find_string(entry, "type").value_or(""));
  model.context = positive(entry, "max_context_length");
  model.billions = billions_in(find_string(entry, "params_string").value_or(""));
  if (!model.billions) model.billions = billions_in(id);
  return model;
}

// LM Studio 0.4: a model and its instances, each of which can be asked by its own id.
void add_instances(std::vector<ServedModel>& served, const JsonObject& entry) {
  const auto key = find_string(entry, "key").value_or("");
  if (key.empty()) return;
  ServedModel model = basics(entry, key);
  model.of = key;
  model.loaded = false;
  std::vector<ServedModel> others;
  const JsonArray* instances = find_array(entry, "loaded_instances");
  for (std::size_t at = 0; instances && at < instances->size(); ++at) {
    const JsonObject* instance = instances->at(at).if_object();
    if (!instance) continue;
    const auto id = find_string(*instance, "id").value_or(key);
    ServedModel& one = id == key ? model : others.emplace_back(model);
    one.id = id;
    one.loaded = true;
    if (const JsonObject* config = find_object(*instance, "config"))
      if (const auto context = positive(*config, "context_length")) one.context = context;
  }
  served.push_back(std::move(model));  // loaded under other names only, asking for it by its own would load it again
  std::ranges::move(others, std::back_inserter(served));
}

void add_entry(std::vector<ServedModel>& served, const JsonObject& entry) {
  const auto id = find_string(entry, "id").value_or("");
  if (id.empty()) return;
  ServedModel model = basics(entry, id);
  if (const auto state = find_string(entry, "state"))
    model.loaded = std::ranges::find(kLoadedStates, *state) != kLoadedStates.end();
  // What it was loaded with is what counts; vLLM and llama.cpp say it in words of their own.
  if (const auto context = positive(entry, "loaded_context_length")) model.context = context;
  if (!model.context) model.context = positive(entry, "max_model_len");
  if (const JsonObject* meta = find_object(entry, "meta"); meta && !model.context) model.context = positive(*meta, "n_ctx");
  model.any_name = find_string(entry, "owned_by") == "llamacpp";
  served.push_back(std::move(model));
}

double size_of(const ServedModel& model) {
  return model.billions.value_or(kUnknownSize);
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

std::optional<double> billions_in(std::string_view name) {
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (!is_ascii_digit(name[at]) ||
        (at > 0 && (is_ascii_digit(name[at - 1]) || is_ascii_letter(name[at - 1]) || name[at - 1] == '.')))
      continue;
    double factor = 1, number = 0;
    const char* end = name.data() + name.size();
    auto [rest, problem] = std::from_chars(name.data() + at, end, number, std::chars_format::fixed);
    if (problem == std::errc() && end - rest > 1 && (*rest == 'x' || *rest == 'X') && is_ascii_digit(rest[1])) {  // 8x7b
      factor = number;
      const auto second = std::from_chars(rest + 1, end, number, std::chars_format::fixed);
      rest = second.ptr;
      problem = second.ec;
    }
    if (problem != std::errc() || rest == end || (end - rest > 1 && (is_ascii_letter(rest[1]) || is_ascii_digit(rest[1]))))
      continue;
    if (*rest == 'b' || *rest == 'B') return factor * number;
    if (*rest == 'm' || *rest == 'M') return factor * number / 1000;
  }
  return std::nullopt;
}

std::optional<std::vector<ServedModel>> read_served(const Json& document, ListForm form) {
  if (!document.is_object()) return std::nullopt;
  const bool native = form == ListForm::lmstudio_v1;
  const JsonArray* entries = find_array(document.as_object(), native ? "models" : "data");
  if (!entries) return std::nullopt;
  std::vector<ServedModel> served;
  for (const Json& entry : *entries) {
    if (!entry.is_object()) continue;
    if (native) {
      add_instances(served, entry.as_object());
    } else {
      add_entry(served, entry.as_object());
    }
  }
  // Others list their models at a path of that name too, but not with LM Studio's keys.
  const bool foreign = form != ListForm::openai && !entries->empty() &&
                       std::ranges::none_of(served, [](const ServedModel& model) { return model.loaded.has_value(); });
  return foreign ? std::nullopt : std::optional(std::move(served));
}

const ServedModel* pick_model(const std::vector<ServedModel>& served, std::string_view wanted) {
  const auto first = [&](const auto& fits) -> const ServedModel* {
    const auto found = std::ranges::find_if(served, fits);
    return found == served.end() ? nullptr : &*found;
  };
  const auto is_loaded = [](const ServedModel& model) { return model.loaded.value_or(false); };
  if (wanted.empty() || wanted == kDefaultModel) {
    if (const auto* loaded = first([&](const ServedModel& model) { return !model.embedding && is_loaded(model); })) return loaded;
    const ServedModel* smallest = nullptr;
    for (const ServedModel& model : served)
      if (!model.embedding && (!smallest || size_of(model) < size_of(*smallest))) smallest = &model;
    return smallest;
  }
  const std::string_view base = without_instance(wanted);
  const std::string tagged = std::string(wanted) + ":latest";  // what Ollama lists for a name without a tag
  const ServedModel* exact = first([&](const ServedModel& model) { return model.id == wanted || model.id == tagged; });
  // An instance that was named is meant; a model that was named may be had by any instance of it that is loaded.
  if (exact && (is_loaded(*exact) || base != wanted)) return exact;
  const auto* loaded = first([&](const ServedModel& model) { return model.of == base && is_loaded(model); });
  if (loaded || exact) return loaded ? loaded : exact;
  return first([&](const ServedModel& model) { return model.id == base || model.any_name; });
}

}  // namespace holdfast::model
