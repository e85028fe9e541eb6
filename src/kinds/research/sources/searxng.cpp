
#include "base/text/text.h"
#include "base/text/uri.h"
#include "kinds/research/sources/fetch.h"
#include "kinds/research/sources/remote_search.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::research {
namespace {

// The categories of a stock instance that fit a run's mode; general asks for none, which is the instance's own choice.
std::string_view category_of(std::string_view mode) {
  if (mode == "academic") return "science";
  if (mode == "technical") return "it";
  return {};
}

class Searxng final : public RemoteSearch {
 public:
  Searxng(std::string name, std::string base, std::string categories)
      : name_(std::move(name)), base_(std::move(base)), categories_(std::move(categories)) {}

  std::string_view name() const override { return name_; }

  RemoteAnswer ask(const SearchAsk& ask) override {
    net::HttpCall call;
    call.url = fmt::format("{}/search?q={}&format=json&pageno=1", base_, percent_encode(utf8_prefix(ask.query, kMaxQueryBytes)));
    const std::string_view categories = categories_.empty() ? category_of(ask.mode) : std::string_view(categories_);
    if (!categories.empty()) call.url += "&categories=" + percent_encode(categories);
    call.headers = {{"Accept", "application/json"}};
    call.max_answer_bytes = kMaxSearchAnswerBytes;
    auto answer = send_by(std::move(call), ask.deadline, ask.cancelled);
    if (!answer) return std::unexpected(fault_of(std::move(answer).error()));
    if (answer->status == 403) return std::unexpected(RemoteFault{RemoteFault::Kind::final, json_is_off(), {}});
    if (answer->status < 200 || answer->status > 299) return std::unexpected(fault_of(name_, *answer));
    auto results = read_results(name_, answer->body);
    if (!results) return std::unexpected(fault_of(std::move(results).error()));
    return found_of(*results, ask);
  }

  Result<void> health() override {
    SearchAsk probe;
    probe.query = "holdfast";
    probe.max_results = 1;
    probe.deadline = std::chrono::steady_clock::now() + kHealthTime;
    auto answer = ask(probe);
    if (!answer) return fail(std::move(answer).error().error);
    return {};
  }

 private:
  static constexpr std::size_t kMaxQueryBytes = 2000;  // of a URL that every proxy takes
  static constexpr std::chrono::seconds kHealthTime{10};

  Error json_is_off() const {
    return make_error(
        ErrorKind::refused, fmt::format("{} does not answer in JSON (status 403)", name_),
        "add json to search.formats in the settings.yml of the instance; if it is there, allow this client in its limiter");
  }

  static std::vector<Found> found_of(const JsonArray& results, const SearchAsk& ask) {
    std::vector<Found> found;
    bool scored = true;
    double best = 0;
    for (const Json& result : results) {
      auto made = found_from(result, "publishedDate");
      if (!made) continue;
      made->type = ask.mode == "academic" ? "academic" : "web";
      const Json* score = find(result.as_object(), "score");
      scored = scored && score && score->is_number();
      if (scored) made->score = std::max(0.0, score->to_number<double>());
      best = std::max(best, made->score);
      found.push_back(*std::move(made));
    }
    for (std::size_t i = 0; i < found.size(); ++i)
      found[i].score = scored && best > 0 ? found[i].score / best : score_of_rank(i, found.size());
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.score > b.score; });
    if (found.size() > ask.max_results) found.resize(ask.max_results);
    return found;
  }

  const std::string name_, base_, categories_;
};

}  // namespace

Result<std::unique_ptr<RemoteSearch>> make_searxng(const JsonObject& settings) {
  const std::string name(find_string(settings, "name").value_or("searxng"));
  HF_TRY(std::string base, base_url_of(settings, name, ""));
  return std::make_unique<Searxng>(name, std::move(base), std::string(find_string(settings, "categories").value_or("")));
}

}  // namespace holdfast::research
