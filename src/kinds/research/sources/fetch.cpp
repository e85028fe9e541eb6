#include "kinds/research/sources/fetch.h"

#include "base/text/text.h"
#include "base/text/uri.h"
#include "kinds/research/sources/address_rules.h"
#include "kinds/research/sources/timed_call.h"
#include "kinds/research/sources/web_url.h"
#include "kinds/research/text/html.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::research {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::size_t kAddressesTried = 3;  // of a host with several, when one cannot be reached

struct ContentType {
  std::string type;  // in lower case, without parameters
  bool latin1 = false;
};

ContentType content_type_of(const net::HttpAnswer& answer) {
  const std::string header = to_ascii_lower(answer.header("content-type"));
  ContentType made{std::string(trim(std::string_view(header).substr(0, header.find(';')))), false};
  for (const char* name : {"iso-8859-1", "windows-1252", "latin1"}) made.latin1 |= header.find(name) != header.npos;
  return made;
}

bool is_html(std::string_view type) {
  return type == "text/html" || type == "application/xhtml+xml";
}

bool is_readable(std::string_view type) {
  return type.starts_with("text/") || type == "application/json" || type == "application/xml" || type.ends_with("+json") ||
         type.ends_with("+xml");
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// For a page that does not say what it is called: its last name, or its host.
std::string title_of(const WebUrl& url) {
  std::string_view path = std::string_view(url.target).substr(0, url.target.find('?'));
  while (path.ends_with('/')) path.remove_suffix(1);
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const auto decoded = percent_decode(name);
  return name.empty() || !decoded ? url.host : to_valid_utf8(*decoded);
}

class JudgingFetcher final : public Fetcher {
 public:
  explicit JudgingFetcher(bool allow_private) : allow_private_(allow_private) {}

  Result<Fetched> fetch(std::string_view uri, std::chrono::milliseconds timeout,
                        const std::function<bool()>& cancelled) override {
    const SteadyTime deadline = std::chrono::steady_clock::now() + std::min<std::chrono::milliseconds>(timeout, kFetchTime);
    HF_TRY(WebUrl url, parse_web_url(uri));
    for (int redirects = 0; redirects <= kFetchRedirects; ++redirects) {
      HF_TRY(const net::HttpAnswer answer, get(url, deadline, cancelled));
      if (!is_redirect(answer.status)) return read(url, answer);
      HF_TRY(url, resolve_web_url(url, answer.header("location")));
    }
    return fail(ErrorKind::refused, fmt::format("more than {} redirects from {}", kFetchRedirects, uri));
  }

 private:
  // Every address of the host, because whoever answers for its name may put a private one among public ones.
  Result<std::vector<std::string>> judged_addresses(const WebUrl& url) const {
    HF_TRY(std::vector<std::string> addresses, resolve_host(url.host));
    for (const std::string& address : addresses) {
      const auto why = why_not_public(address);
      if (why && !allow_private_)
        return fail(ErrorKind::refused, fmt::format("{} leads to {} ({}), which links must not reach", url.host, address, *why));
    }
    return addresses;
  }

  Result<net::HttpAnswer> get(const WebUrl& url, SteadyTime deadline, const std::function<bool()>& cancelled) const {
    HF_TRY(const std::vector<std::string> addresses, judged_addresses(url));
    net::HttpCall call;
    call.url = url.text();
    call.follow_redirects = false;
    call.max_answer_bytes = kFetchBytes;
    call.headers = {
        {"Accept", "text/html, application/xhtml+xml, text/plain;q=0.9, application/json;q=0.8, application/xml;q=0.8"}};
    for (std::size_t i = 0;; ++i) {
      call.pinned_address = addresses[i];
      auto answer = send_by(call, deadline, cancelled);
      const bool unreached = !answer && answer.error().kind == ErrorKind::unavailable;
      if (!unreached || i + 1 >= std::min(addresses.size(), kAddressesTried)) return answer;
    }
  }

  static Result<Fetched> read(const WebUrl& url, const net::HttpAnswer& answer) {
    const std::string where = url.text();
    if (answer.status >= 500 || answer.status == 429 || answer.status == 408)
      return fail(ErrorKind::unavailable, fmt::format("{} answered with status {}", where, answer.status));
    if (answer.status < 200 || answer.status >= 300)
      return fail(ErrorKind::refused, fmt::format("{} answered with status {}", where, answer.status));
    const ContentType type = content_type_of(answer);
    if (!is_readable(type.type))
      return fail(ErrorKind::refused, fmt::format("{} is not text but \"{}\"", where, to_valid_utf8(type.type)));

    Fetched fetched;
    fetched.uri = where;
    const bool recode = type.latin1 && !is_valid_utf8(answer.body);
    const std::string body = recode ? utf8_of_latin1(answer.body) : answer.body;
    fetched.text = is_html(type.type) ? text_of_html(body, &fetched.title) : to_valid_utf8(body);
    if (fetched.title.empty()) fetched.title = title_of(url);
    return fetched;
  }

  const bool allow_private_;
};

}  // namespace

std::unique_ptr<Fetcher> make_fetcher(bool allow_private) {
  return std::make_unique<JudgingFetcher>(allow_private);
}

}  // namespace holdfast::research
