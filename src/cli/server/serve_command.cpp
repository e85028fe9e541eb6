// holdfast serve: MCP and pages over HTTP.

#include "base/run/log.h"
#include "base/run/pool.h"
#include "cli/program/context.h"
#include "cli/program/login_address.h"
#include "cli/program/stop_signals.h"
#include "cli/services/mcp_service.h"
#include "cli/services/page_service.h"
#include "cli/services/serve_metrics.h"
#include "cli/services/store_wait.h"
#include "mcp/transport/transport_http.h"
#include "net/http/http_server.h"
#include "net/http/http_url.h"
#include "operations/store/access_tokens.h"
#include "session/query/store_view.h"
#include "web/gateway/allowed_hosts.h"
#include "web/gateway/gateway.h"
#include "web/gateway/server_address.h"
#include "web/pages/add_pages.h"

#include <fmt/format.h>

#include <sys/resource.h>

#include <algorithm>
#include <csignal>

namespace holdfast::cli {

namespace {

constexpr std::size_t kFewestStrangers = 16;    // a browser opens six connections
constexpr std::chrono::seconds kDrainTime{10};  // running calls and open streams may take this long to end
constexpr double kLongestAnnouncement = 3600;   // seconds; a service manager has lost its patience long before

Result<void> check_settings(const Settings& settings) {
  if (settings.decimal("drain.announce_s") > kLongestAnnouncement)
    return fail(ErrorKind::invalid, fmt::format("drain.announce_s is {} seconds at most", kLongestAnnouncement));
  if (settings.flag("no_auth") && !web::is_loopback(settings.text("host")))
    return fail(ErrorKind::refused, fmt::format("no_auth is for loopback addresses, and {} is none", settings.text("host")),
                "leave --no-auth out, or listen on 127.0.0.1");
  return {};
}

web::OauthSettings oauth_settings(const Settings& settings) {
  return {settings.text("oauth.issuer"),     settings.text("oauth.audience"),     settings.text("oauth.jwks_uri"),
          settings.text("oauth.public_url"), settings.text("oauth.scope_prefix"), settings.text("oauth.team_claim")};
}

// Who gives this server a public address means to be asked there.
std::vector<std::string> hosts_of(const Settings& settings) {
  std::vector<std::string> hosts = settings.list("http.allowed_hosts");
  if (const auto address = net::parse_http_url(settings.text("oauth.public_url"))) hosts.push_back(address->host);
  return hosts;
}

// Thousands of idle streams need as many descriptors; the usual soft limit is 1,024. Where there are few, strangers get a
// quarter of them at most.
net::HttpLimits http_limits() {
  net::HttpLimits limits;
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return limits;
  const rlimit wanted{.rlim_cur = files.rlim_max, .rlim_max = files.rlim_max};
  if (::setrlimit(RLIMIT_NOFILE, &wanted) == 0)
    files = wanted;
  else
    log(LogLevel::debug, "cli", "the limit of open files stays as it is");
  limits.max_strangers = std::clamp<std::size_t>(files.rlim_cur / 4, kFewestStrangers, limits.max_strangers);
  return limits;
}

// Ends the pool's work before what that work uses: declared after it, and therefore gone first.
struct PoolEnd {
  Pool& pool;
  ~PoolEnd() { pool.close(); }
};

// What a person or a script needs to use the server. A login code is shown to a person only: what does not go to a terminal goes
// to a journal or a file, where others read it.
Result<void> announce(const Context& context, session::Store& store, const std::string& address, std::uint16_t port) {
  const bool authenticate = !context.settings.flag("no_auth");
  const Terminal& terminal = context.terminal;
  LoginAddress page{address + "/", {}};
  if (authenticate && terminal.is_terminal()) {
    HF_TRY(page, make_login(store, address, std::string(kLocalPrincipal)));
  }
  const std::string endpoint = address + "/mcp";
  if (context.json) {
    JsonObject line{{"url", page.url}, {"mcp", endpoint}, {"port", port}};
    line["token_file"] = authenticate ? Json(context.folders.token_file()) : Json(nullptr);
    print_json(line);
    return {};
  }
  if (!authenticate)
    print(fmt::format("{} {}\n", terminal.bold("page"), page.url));
  else if (!terminal.is_terminal())
    print(fmt::format("{} {}  (holdfast login prints an address that logs a browser in)\n", terminal.bold("page"), page.url));
  else
    print(page.text(terminal, "page "));
  print(fmt::format("{}  {}  {}\n", terminal.bold("MCP"), endpoint,
                    authenticate ? "token in " + context.folders.token_file() : "no token needed by programs of this user"));
  return {};
}

}  // namespace

Result<void> run_serve(Context& context) {
  const Settings& settings = context.settings;
  HF_CHECK(check_settings(settings));
  const web::OauthSettings oauth = oauth_settings(settings);
  HF_CHECK(oauth.check());
  HF_TRY(auto signals, StopSignals::watch());
  std::signal(SIGPIPE, SIG_IGN);  // a client that has gone is noticed by the write
  HF_TRY(AwaitedStore awaited, wait_for_store(context));
  if (!awaited.store) return {};
  const std::unique_ptr<session::Store> store = std::move(awaited.store);
  const session::SharedStore stores(*store);
  session::Store& gateway_store = stores.for_system(session::SystemWork::gateway);
  if (!settings.flag("no_auth")) {
    HF_CHECK(make_data_folder(context.folders));
    HF_CHECK(operations::AccessTokens(gateway_store).ensure_first(context.folders.token_file()));
  }

  // The loop is the server's, and the server is made first: so the handler learns of the gateway later.
  web::Gateway* known = nullptr;
  net::HttpServer http(http_limits(), [&known](std::shared_ptr<net::HttpExchange> exchange) { known->handle(exchange); });
  Pool pool;
  HF_TRY(const auto service, McpService::open(context, stores, http.executor(), pool));
  HF_TRY(const auto page_service, PageService::open(context, stores));
  auto search = service->search();
  mcp::HttpTransport transport(service->server());
  web::RouteTimes routes;
  http.on_answer([&routes](const net::HttpRequest& request, int status, std::chrono::steady_clock::duration time) {
    routes.observe(request, status, time);
  });
  web::Gateway gateway(
      {HOLDFAST_VERSION, settings.text("host"), hosts_of(settings), !settings.flag("no_auth"), oauth}, gateway_store,
      http.executor(), pool, *context.clock,
      [&](std::shared_ptr<net::HttpExchange> exchange, const Identity& identity) {
        transport.handle(std::move(exchange), identity);
      },
      [&](web::MetricsText& metrics) {
        measure(metrics, {service->server(), transport, http, routes, pool, *context.commits, search ? *search : nullptr});
      },
      web::make_pages(page_service->services(search ? *search : nullptr)));
  known = &gateway;
  gateway.live().on_first_listener(
      [&] { page_service->watch_transcripts([&gateway](const std::string& id) { gateway.live().announce_transcript(id); }); });
  transport.challenge_with([&gateway](Scope needed) { return gateway.scope_challenge(needed); });
  const PoolEnd pool_end{pool};

  const auto wanted = awaited.port != 0 ? awaited.port : static_cast<std::uint16_t>(settings.number("port"));
  HF_TRY(const std::uint16_t port, http.listen(settings.text("host"), wanted));
  gateway.set_port(port);
  const std::string address = web::address_of(settings.text("host"), port);
  HF_CHECK(web::remember_address(gateway_store, address));
  HF_CHECK(announce(context, gateway_store, address, port));

  http.on_drain([&] {
    service->ask_to_stop();
    service->server().shut_down();
    gateway.close_streams();
  });
  const auto announced = std::chrono::milliseconds(static_cast<std::int64_t>(settings.decimal("drain.announce_s") * 1000));
  signals->on_stop([&http, &gateway, announced] {
    log(LogLevel::info, "cli", "stopping; a second signal stops at once");
    tell_service_manager("STOPPING=1");
    // First the balancer is told, and who asks meanwhile is served; then nobody is let in any more.
    http.executor().post([&http, &gateway, announced] {
      gateway.announce_end();
      http.turn_clients_away();
      http.executor().after(announced, [&http] { http.drain(kDrainTime); });
    });
  });
  tell_service_manager("READY=1");
  service->server().bind_io_thread();
  http.run();
  service->stop();
  pool.close();  // a second signal can still end a call that takes too long
  page_service->stop_watching();
  signals.reset();  // it knows the server
  return {};
}

}  // namespace holdfast::cli
