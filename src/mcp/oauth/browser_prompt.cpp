#include "mcp/oauth/browser_prompt.h"

#include "base/crypto/hash.h"
#include "net/http/http_server.h"
#include "net/run/child.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace holdfast::mcp::oauth {
namespace {

constexpr const char* kAnyRedirect = "http://127.0.0.1/callback";
// The browser that asked is on this machine; it gets its page within this time or never.
constexpr std::chrono::milliseconds kLastPage{1'000};
constexpr std::string_view kPage =
    "<!doctype html><meta charset=utf-8><title>holdfast</title><p>holdfast has got the answer. This page can be closed.</p>\n";

net::HttpLimits small_limits() {
  net::HttpLimits limits;
  limits.max_connections = 16;  // one browser
  limits.idle_timeout = std::chrono::seconds(5);
  return limits;
}

// An address that leads to us: where we were before, or what somebody registered us with by hand.
bool is_ours(const HttpUrl& url) {
  return url.scheme == "http" && (url.host == "127.0.0.1" || url.host == "localhost") && url.query.empty();
}

std::uint16_t port_of(const HttpUrl& url) {
  std::uint16_t port = 0;
  std::from_chars(url.port.data(), url.port.data() + url.port.size(), port);
  return port;
}

class Listener final : public RedirectPlace {
 public:
  Listener(BrowserPrompt::Opener open, std::chrono::milliseconds timeout)
      : open_(std::move(open)), timeout_(timeout), http_(small_limits(), [this](auto exchange) { handle(*exchange); }) {}
  ~Listener() override {
    if (!thread_.joinable()) return;
    http_.drain(kLastPage);
    thread_.join();
  }

  Result<void> listen(HttpUrl preferred) {
    auto port = http_.listen("127.0.0.1", port_of(preferred));
    if (!port && !preferred.port.empty()) port = http_.listen("127.0.0.1", 0);
    if (!port) return fail(std::move(port).error());
    place_ = std::move(preferred);
    place_.port = std::to_string(*port);
    thread_ = std::thread([this] { http_.run(); });
    return {};
  }

  std::string uri() const override { return place_.text(); }

  Result<Fields> ask(const std::string& url, const std::string& state, const std::stop_token& stop) override {
    {
      const std::lock_guard lock(mutex_);
      state_ = state;
    }
    HF_CHECK(open_(url));
    std::unique_lock lock(mutex_);
    const bool came = changed_.wait_for(lock, stop, timeout_, [&] { return answer_.has_value(); });
    if (came) return *answer_;
    if (stop.stop_requested()) return fail(ErrorKind::cancelled, "the login was given up");
    return fail(ErrorKind::timeout, fmt::format("nobody logged in within {} s", timeout_.count() / 1000));
  }

 private:
  // Anybody on this machine can call: only who knows the state is listened to, the first time.
  bool take(const net::HttpRequest& request) {
    auto fields = read_form(request.query);
    if (request.method != "GET" || request.path != (place_.path.empty() ? "/" : place_.path) || !fields) return false;
    const std::lock_guard lock(mutex_);
    const bool ours = !state_.empty() && std::ranges::any_of(*fields, [&](const auto& field) {
      return field.first == "state" && equal_in_constant_time(field.second, state_);
    });
    if (!ours || answer_) return false;
    answer_ = *std::move(fields);
    changed_.notify_all();
    return true;
  }

  // Nobody is admitted: what a browser is redirected with stands in the head.
  void handle(net::HttpExchange& exchange) {
    if (!take(exchange.request())) return exchange.respond({404, {}, {}});
    exchange.respond(
        {200,
         {{"Content-Type", "text/html; charset=utf-8"}, {"Cache-Control", "no-store"}, {"Referrer-Policy", "no-referrer"}},
         std::string(kPage)});
  }

  BrowserPrompt::Opener open_;
  std::chrono::milliseconds timeout_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string state_;             // guarded by mutex_, as is
  std::optional<Fields> answer_;  // this
  HttpUrl place_;                 // set before the thread begins
  net::HttpServer http_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<RedirectPlace>> BrowserPrompt::prepare(const std::string& preferred) {
  auto listener = std::make_unique<Listener>(open_, timeout_);
  HF_TRY(HttpUrl place, parse_http_url(kAnyRedirect));
  if (auto wanted = parse_http_url(preferred); wanted && is_ours(*wanted)) place = *std::move(wanted);
  HF_CHECK(listener->listen(std::move(place)));
  return listener;
}

Result<void> open_in_browser(const std::string& url) {
  if (!parse_http_url(url)) return fail(ErrorKind::refused, "only http and https addresses are opened");
  net::ChildCall call;
  call.arguments = {"setsid", "--fork", "xdg-open", url};
  call.timeout = std::chrono::seconds(10);
  HF_TRY(const net::ChildResult result, net::run_child(call));
  if (result.exit_code != 0) return fail(ErrorKind::not_found, "no browser could be opened", "visit " + url);
  return {};
}

}  // namespace holdfast::mcp::oauth
