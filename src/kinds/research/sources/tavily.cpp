
#include "base/text/text.h"
#include "kinds/research/sources/remote_search.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::research {
namespace {

constexpr std::size_t kMaxResults = 20, kMaxTavilyQuery = 400;  // of the service
constexpr int kPlanLimit = 432, kPayLimit = 433;                // its own statuses: nothing left to ask for

struct Settings {
  std::string name, base, key, search_depth, topic;
  bool key_in_body = false, raw_content = true;
};

class Tavily final : public RemoteSearch {
 public:
  explicit Tavily(Settings settings) : settings_(std::move(settings)) {}

  std::string_view name() const override { return settings_.name; }

  RemoteAnswer ask(const SearchAsk& ask) override {
    auto answer = send_by(call_of(ask), ask.deadline, ask.cancelled);
    if (!answer) return std::unexpected(fault_of(std::move(answer).error()));
    if (answer->status == kPlanLimit || answer->status == kPayLimit)
      return std::unexpected(RemoteFault{
          RemoteFault::Kind::final,
          make_error(ErrorKind::refused, fmt::format("{}: the plan's limit is used up (status {})", name(), answer->status)),
          {}});
    if (answer->status < 200 || answer->status > 299) return std::unexpected(fault_of(name(), *answer));
    auto results = read_results(name(), answer->body);
    if (!results) return std::unexpected(fault_of(std::move(results).error()));
    return found_of(*results, ask);
  }

  // A question would cost credit, so only its absence of trouble so far can be told.
  Result<void> health() override { return {}; }

 private:
  net::HttpCall call_of(const SearchAsk& ask) const {
    JsonObject body{{"query", shorten(ask.query, kMaxTavilyQuery)},
                    {"max_results", std::clamp<std::size_t>(ask.max_results, 1, kMaxResults)},
                    {"search_depth", settings_.search_depth},
                    {"topic", settings_.topic},
                    {"include_raw_content", settings_.raw_content}};
    if (settings_.key_in_body) body["api_key"] = settings_.key;
    net::HttpCall call;
    call.method = "POST";
    call.url = settings_.base + "/search";
    call.headers = {{"Content-Type", "application/json"}, {"Accept", "application/json"}};
    if (!settings_.key_in_body) call.headers.emplace_back("Authorization", "Bearer " + settings_.key);
    call.body = to_json(body);
    call.max_answer_bytes = kMaxSearchAnswerBytes;
    return call;
  }

  static std::vector<Found> found_of(const JsonArray& results, const SearchAsk& ask) {
    std::vector<Found> found;
    for (std::size_t i = 0; i < results.size() && found.size() < ask.max_results; ++i) {
      auto made = found_from(results[i], "published_date");
      if (!made) continue;
      const JsonObject& object = results[i].as_object();
      const Json* score = find(object, "score");
      made->score =
          score && score->is_number() ? std::clamp(score->to_number<double>(), 0.0, 1.0) : score_of_rank(i, results.size());
      made->content = utf8_prefix(find_string(object, "raw_content").value_or(""), kMaxFoundContentBytes);
      if (ask.mode == "academic") made->type = "academic";
      found.push_back(*std::move(made));
    }
    return found;
  }

  const Settings settings_;
};

Result<std::string> one_of(const JsonObject& settings, std::string_view key, std::initializer_list<std::string_view> words) {
  const std::string_view word = find_string(settings, key).value_or(*words.begin());
  if (std::ranges::find(words, word) != words.end()) return std::string(word);
  return fail(ErrorKind::invalid, fmt::format("{} of search provider tavily must be one of {}, not \"{}\"", key,
                                              fmt::join(words, ", "), utf8_prefix(word, 100)));
}

}  // namespace

Result<std::unique_ptr<RemoteSearch>> make_tavily(const JsonObject& settings, std::string api_key) {
  Settings made;
  made.name = find_string(settings, "name").value_or("tavily");
  HF_TRY(made.base, base_url_of(settings, made.name, "https://api.tavily.com"));
  HF_TRY(const std::string auth, one_of(settings, "auth", {"bearer", "body"}));
  HF_TRY(made.search_depth, one_of(settings, "search_depth", {"basic", "advanced"}));
  HF_TRY(made.topic, one_of(settings, "topic", {"general", "news", "finance"}));
  made.key_in_body = auth == "body";
  made.raw_content = find_bool(settings, "include_raw_content").value_or(true);
  made.key = std::move(api_key);
  return std::make_unique<Tavily>(std::move(made));
}

}  // namespace holdfast::research
