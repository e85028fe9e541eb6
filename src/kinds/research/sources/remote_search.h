#pragma once

// One question to a search service, without patience: what resilient.h wraps. The services there are, and what they have in
// common.

#include "base/json/json.h"
#include "kinds/research/sources/search_provider.h"
#include "net/client/http_client.h"

#include <chrono>
#include <expected>
#include <optional>

namespace holdfast::research {

struct RemoteFault {
  enum class Kind {
    final,         // repeating it cannot help: key, settings, the question itself; also: the caller gave up
    rate_limited,  // asked too often: later, and no sign of trouble
    passing        // 5xx, time-out, connection
  };
  Kind kind = Kind::final;
  Error error;
  std::optional<std::chrono::milliseconds> retry_after;  // as the service said
};

using RemoteAnswer = std::expected<std::vector<Found>, RemoteFault>;

class RemoteSearch {
 public:
  virtual ~RemoteSearch() = default;
  virtual std::string_view name() const = 0;
  virtual RemoteAnswer ask(const SearchAsk& ask) = 0;  // any thread
  virtual Result<void> health() = 0;
};

// What went wrong on the way.
RemoteFault fault_of(Error error);
// What an answer other than 2xx means for any service; `name` is for the message.
RemoteFault fault_of(std::string_view name, const net::HttpAnswer& answer);

// One HTTP request that ends in time: at the deadline, or when the caller gives up. With a connection of its own, so it may be
// called from any thread. Errors: those of HttpClient, timeout at the deadline.
Result<net::HttpAnswer> send_by(net::HttpCall call, std::chrono::steady_clock::time_point deadline,
                                const std::function<bool()>& cancelled);

// Their answers are {"results": [{"url", "title", "content", …}]}, and strangers' words: every type is looked at, addresses are
// brought into one form, and what is not a web address is left out.
inline constexpr std::size_t kMaxSearchAnswerBytes = 16ULL << 20;  // twenty pages in full are a few megabytes
inline constexpr std::size_t kMaxFoundContentBytes = 2ULL << 20;   // as much as following the link would give (kFetchBytes)
// Errors: unavailable (not such an answer: a captive portal, a proxy's page).
Result<JsonArray> read_results(std::string_view provider, std::string_view body);
// uri, title, snippet and, from the member of that name, published. nullopt: not a result.
std::optional<Found> found_from(const Json& result, std::string_view published_key);
double score_of_rank(std::size_t rank, std::size_t count);  // for lists without scores: 1 down to above 0
// The setting base_url without a '/' at its end. Errors: invalid.
Result<std::string> base_url_of(const JsonObject& settings, std::string_view provider, std::string_view fallback);

// A SearXNG instance: GET {base_url}/search?q=…&format=json&pageno=1.
//
// It has no parameter for the number of results; they are cut here. Its scores have no upper end and may be missing: they are
// shares of the best one, or follow the order. The JSON format is off unless the instance's settings name it; it then answers
// 403. settings: {"base_url", "name"?, "categories"?}. Errors: invalid.
Result<std::unique_ptr<RemoteSearch>> make_searxng(const JsonObject& settings);

// Tavily: POST {base_url}/search (docs.tavily.com, API reference).
//
// The key goes into an Authorization: Bearer header, as the vendor documents it; "auth": "body" puts it into the request as
// `api_key`, which older and compatible services expect. At most 20 results and 400 characters of query.
// settings: {"name"?, "base_url"?, "auth"?: bearer|body, "search_depth"?: basic|advanced, "topic"?: general|news|finance,
// "include_raw_content"?: bool}. Errors: invalid.
Result<std::unique_ptr<RemoteSearch>> make_tavily(const JsonObject& settings, std::string api_key);

}  // namespace holdfast::research
