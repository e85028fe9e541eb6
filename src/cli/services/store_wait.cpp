#include "cli/services/store_wait.h"

#include "base/files/fd.h"
#include "base/run/log.h"
#include "base/run/ticker.h"
#include "cli/program/stop_signals.h"
#include "net/http/http_server.h"
#include "store/open.h"
#include "web/gateway/health.h"
#include "web/gateway/server_address.h"

#include <fmt/format.h>

#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>

namespace holdfast::cli {

void tell_service_manager(std::string_view state) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un address{};
  if (path == nullptr || (path[0] != '/' && path[0] != '@') || std::strlen(path) >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, path);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + std::strlen(path));
  if (path[0] == '@') address.sun_path[0] = '\0';  // an abstract name
  const Fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return;
  // Who does not listen has no use for it; there is nothing to be done about an error.
  static_cast<void>(
      ::sendto(socket.get(), state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), length));
}

namespace {

// Balancers ask about as often; a database that is away costs nothing by it.
constexpr std::chrono::seconds kBetweenTries{1};

// A store in a file is there or is not: who keeps it locked does so for a moment.
bool is_away(const Context& context, const Error& error) {
  return error.kind == ErrorKind::unavailable && !context.store_url().starts_with(store::kSqliteScheme);
}

// Tries again and again on a thread of its own, until the store is open, something else is wrong, or it is let go of.
class StoreTries {
 public:
  StoreTries(const Context& context, std::function<void()> on_end) : context_(context), on_end_(std::move(on_end)) {}

  // Of the last try, once on_end was called.
  Result<std::unique_ptr<session::Store>> take() {
    ticker_.stop();
    return std::move(outcome_);
  }

 private:
  void try_once() {
    if (over_) return;
    outcome_ = context_.open_store();
    over_ = outcome_ || !is_away(context_, outcome_.error());
    if (over_) on_end_();
  }

  const Context& context_;
  const std::function<void()> on_end_;
  Result<std::unique_ptr<session::Store>> outcome_ = nullptr;
  bool over_ = false;
  Ticker ticker_{"cli", kBetweenTries, Ticker::First::after_pause, [this](const std::stop_token&) { try_once(); }};
};

}  // namespace

Result<AwaitedStore> wait_for_store(const Context& context) {
  auto opened = context.open_store();
  if (opened) return AwaitedStore{*std::move(opened), 0};
  if (!is_away(context, opened.error())) return fail(std::move(opened).error());

  HF_TRY(auto signals, StopSignals::watch());
  const web::Health::Answer away{false, "waiting for the store: " + opened.error().message};
  net::HttpServer http({}, [&](std::shared_ptr<net::HttpExchange> exchange) {
    exchange->respond(web::health_response(exchange->request(), away, HOLDFAST_VERSION));
  });
  const std::string& host = context.settings.text("host");
  HF_TRY(const std::uint16_t port, http.listen(host, static_cast<std::uint16_t>(context.settings.number("port"))));
  log(LogLevel::warn, "cli",
      fmt::format("{}; waiting, and {}/healthz says 503 meanwhile", opened.error().message, web::address_of(host, port)));
  tell_service_manager("READY=1\nSTATUS=waiting for the database");
  bool asked_to_stop = false;
  signals->on_stop([&] {
    http.executor().post([&] {
      asked_to_stop = true;
      http.stop();
    });
  });
  StoreTries tries(context, [&] { http.executor().post([&] { http.stop(); }); });
  http.run();
  signals.reset();  // it knows the server
  auto outcome = tries.take();
  if (asked_to_stop) return AwaitedStore{};
  if (!outcome) return fail(std::move(outcome).error());
  log(LogLevel::info, "cli", "the store is there");
  tell_service_manager("STATUS=");
  return AwaitedStore{*std::move(outcome), port};
}

}  // namespace holdfast::cli
