#include "kinds/research/sources/fetch.h"

#include "base/text/text.h"
#include "base/text/uri.h"
#include "kinds/research/sources/remote_search.h"
#include "kinds/research/text/html.h"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

namespace holdfast::research {

namespace {

struct Range4 {
  std::uint32_t network;
  int bits;
  std::string_view name;
};

constexpr std::uint32_t v4(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}

// The registry of special-purpose addresses (RFC 6890 and its successors), and multicast.
constexpr Range4 kNotPublic4[] = {
    {v4(0, 0, 0, 0), 8, "unspecified"},
    {v4(10, 0, 0, 0), 8, "private network"},
    {v4(100, 64, 0, 0), 10, "network of a provider"},
    {v4(127, 0, 0, 0), 8, "loopback"},
    {v4(169, 254, 0, 0), 16, "link-local"},
    {v4(172, 16, 0, 0), 12, "private network"},
    {v4(192, 0, 0, 0), 24, "reserved"},
    {v4(192, 0, 2, 0), 24, "for documentation"},
    {v4(192, 88, 99, 0), 24, "reserved"},
    {v4(192, 168, 0, 0), 16, "private network"},
    {v4(198, 18, 0, 0), 15, "for benchmarks"},
    {v4(198, 51, 100, 0), 24, "for documentation"},
    {v4(203, 0, 113, 0), 24, "for documentation"},
    {v4(224, 0, 0, 0), 4, "multicast"},
    {v4(240, 0, 0, 0), 4, "reserved"},
};

using Bytes6 = std::array<std::uint8_t, 16>;

std::optional<std::string_view> why_not_4(std::uint32_t address) {
  for (const Range4& range : kNotPublic4)
    if ((address ^ range.network) >> (32 - range.bits) == 0) return range.name;
  return {};
}

bool begins(const Bytes6& address, std::initializer_list<std::uint8_t> prefix) {
  return std::equal(prefix.begin(), prefix.end(), address.begin());
}

std::uint32_t v4_at(const Bytes6& address, std::size_t at) {
  return v4(address[at], address[at + 1], address[at + 2], address[at + 3]);
}

std::optional<std::string_view> why_not_6(const Bytes6& address) {
  const bool zeros = std::all_of(address.begin(), address.begin() + 10, [](std::uint8_t byte) { return byte == 0; });
  if (zeros && address[10] == 0xFF && address[11] == 0xFF) return why_not_4(v4_at(address, 12));                // ::ffff:a.b.c.d
  if (begins(address, {0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0})) return why_not_4(v4_at(address, 12));  // 64:ff9b::/96
  if (begins(address, {0x20, 0x02})) return why_not_4(v4_at(address, 2));                                       // 2002::/16
  if (zeros) return address[15] == 1 ? "loopback" : "unspecified";
  if ((address[0] & 0xFE) == 0xFC) return "private network";
  if (address[0] == 0xFE && (address[1] & 0x80) != 0) return "link-local";  // fe80::/10 and fec0::/10
  if (address[0] == 0xFF) return "multicast";
  if ((address[0] & 0xE0) != 0x20) return "reserved";                         // only 2000::/3 is given out
  if (begins(address, {0x20, 0x01}) && address[2] < 0x02) return "reserved";  // 2001::/23: Teredo and other machinery
  if (begins(address, {0x20, 0x01, 0x0D, 0xB8}) || (begins(address, {0x3F, 0xFF}) && address[2] < 0x10))
    return "for documentation";
  return {};
}

}  // namespace

std::optional<std::string_view> why_not_public(std::string_view address) {
  const std::string text(address);
  in_addr four{};
  if (::inet_pton(AF_INET, text.c_str(), &four) == 1) return why_not_4(ntohl(four.s_addr));
  in6_addr six{};
  if (::inet_pton(AF_INET6, text.c_str(), &six) != 1) return "not an address";
  Bytes6 bytes;
  std::copy(std::begin(six.s6_addr), std::end(six.s6_addr), bytes.begin());
  return why_not_6(bytes);
}

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::size_t kAddressesTried = 3;  // of a host with several, when one cannot be reached

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

// All addresses of a host, numeric, in the order of the system's resolver. Waits for that as long as the system lets it.
// Errors: unavailable.
Result<std::vector<std::string>> resolve_host(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int problem = ::getaddrinfo(host.c_str(), nullptr, &wanted, &found);
  if (problem != 0)
    return fail(ErrorKind::unavailable, fmt::format("cannot find the host {}: {}", host, ::gai_strerror(problem)));
  const std::unique_ptr<addrinfo, FreeAddresses> owned(found);
  std::vector<std::string> addresses;
  for (const addrinfo* each = found; each; each = each->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(each->ai_addr, each->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) continue;
    addresses.emplace_back(text.data());
    if (const std::size_t zone = addresses.back().find('%'); zone != std::string::npos) addresses.back().resize(zone);
  }
  if (addresses.empty()) return fail(ErrorKind::unavailable, fmt::format("the host {} has no address", host));
  return addresses;
}

constexpr std::size_t kMaxUrlBytes = 8192;  // servers take no more

bool is_plain(char c) {
  return c > ' ' && c < 0x7F && std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos;
}

// "." and ".." out of a path, as a browser does.
std::string without_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const std::size_t slash = path.find('/', 1);
    const std::string_view name = path.substr(0, slash);
    path.remove_prefix(std::min(slash, path.size()));
    if (name == "/..") out.resize(out.rfind('/') == out.npos ? 0 : out.rfind('/'));
    if (name != "/." && name != "/..")
      out += name;
    else if (path.empty())
      out += '/';
  }
  return out.empty() ? "/" : out;
}

// As the resolver takes it.
std::string without_brackets(const std::string& host) {
  return host.starts_with('[') ? host.substr(1, host.size() - 2) : host;
}

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
std::string title_of(const net::HttpUrl& url) {
  std::string_view path = url.path;
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
    HF_TRY(net::HttpUrl url, parse_web_url(uri));
    for (int redirects = 0; redirects <= kFetchRedirects; ++redirects) {
      HF_TRY(const net::HttpAnswer answer, get(url, deadline, cancelled));
      if (!is_redirect(answer.status)) return read(url, answer);
      HF_TRY(url, resolve_web_url(url, answer.header("location")));
    }
    return fail(ErrorKind::refused, fmt::format("more than {} redirects from {}", kFetchRedirects, uri));
  }

 private:
  // Every address of the host, because whoever answers for its name may put a private one among public ones.
  Result<std::vector<std::string>> judged_addresses(const net::HttpUrl& url) const {
    HF_TRY(std::vector<std::string> addresses, resolve_host(without_brackets(url.host)));
    for (const std::string& address : addresses) {
      const auto why = why_not_public(address);
      if (why && !allow_private_)
        return fail(ErrorKind::refused, fmt::format("{} leads to {} ({}), which links must not reach", url.host, address, *why));
    }
    return addresses;
  }

  Result<net::HttpAnswer> get(const net::HttpUrl& url, SteadyTime deadline, const std::function<bool()>& cancelled) const {
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

  static Result<Fetched> read(const net::HttpUrl& url, const net::HttpAnswer& answer) {
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
    if (is_html(type.type)) {
      HtmlText reduced = reduce_html(body);
      fetched.text = std::move(reduced.text);
      fetched.title = std::move(reduced.title);
    } else {
      fetched.text = to_valid_utf8(body);
    }
    if (fetched.title.empty()) fetched.title = title_of(url);
    return fetched;
  }

  const bool allow_private_;
};

}  // namespace

std::unique_ptr<Fetcher> make_fetcher(bool allow_private) {
  return std::make_unique<JudgingFetcher>(allow_private);
}

Result<net::HttpUrl> parse_web_url(std::string_view url) {
  if (url.size() > kMaxUrlBytes || !std::ranges::all_of(url, is_plain))
    return fail(ErrorKind::invalid, fmt::format("too long an address, or one with characters that must be percent-encoded: {}",
                                                utf8_prefix(to_valid_utf8(url), 200)));
  HF_TRY(net::HttpUrl made, net::parse_http_url(url.substr(0, url.find('#'))));
  made.path = without_dots(made.path);
  return made;
}

Result<net::HttpUrl> resolve_web_url(const net::HttpUrl& base, std::string_view location) {
  location = location.substr(0, location.find('#'));
  if (location.empty()) return base;
  const std::size_t colon = location.find(':');
  if (colon != location.npos && colon < location.find_first_of("/?")) return parse_web_url(location);
  if (location.starts_with("//")) return parse_web_url(fmt::format("{}:{}", base.scheme, location));
  if (location.starts_with('/')) return parse_web_url(fmt::format("{}{}", base.origin(), location));
  if (location.starts_with('?')) return parse_web_url(fmt::format("{}{}{}", base.origin(), base.path, location));
  return parse_web_url(fmt::format("{}{}{}", base.origin(), base.path.substr(0, base.path.rfind('/') + 1), location));
}

}  // namespace holdfast::research
