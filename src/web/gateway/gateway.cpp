// One request, in the order in which it is judged; what is dear comes after what is cheap, and nobody's body is read before it is
// known who sends it.
//
// handle(): Host and Origin, whatever the path, then the path. Open to everybody are /healthz, the assets and what we publish for
// OAuth. /mcp and /metrics go through with_token(): a bearer token of ours, or of the issuer, answered from memory where that is
// possible, so that the I/O thread never waits. "/?code=" is a login: the code becomes a cookie, on the pool, because the store
// is written. Everything else is a page: which one is looked up first, because a path that is not there needs no login; then
// with_login() asks the store, on the pool, whose cookie it is; then the body is read, and the handler runs on the pool: the
// form's token first, then the scope, then the page. Answers go back through the I/O thread, which owns the exchange.
//
// With --no-auth the kernel says whose process asks, and only that of our own user is let in.

#include "web/gateway/gateway.h"

#include "base/run/log.h"
#include "base/text/text.h"
#include "net/http/http_url.h"
#include "web/assets/assets.h"
#include "web/gateway/logins.h"
#include "web/gateway/server_address.h"
#include "web/metrics/metrics_text.h"
#include "web/pages/page.h"

#include <fmt/format.h>

#include <unistd.h>

#include <utility>

namespace holdfast::web {

namespace {

// The value of one name in "a=1; b=2".
std::string_view cookie_in(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::size_t end = text.find(';');
    const std::string_view part = trim(text.substr(0, end));
    if (part.size() > name.size() && part.starts_with(name) && part[name.size()] == '=') return part.substr(name.size() + 1);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return {};
}

net::HttpResponse json_error(int status, const Error& error) {
  JsonObject body{{"error", error.word()}, {"message", error.message}};
  if (!error.hint.empty()) body["hint"] = error.hint;
  return {status,
          {{"Content-Type", "application/json"},
           {"Cache-Control", "no-store"},
           {"X-Content-Type-Options", "nosniff"},
           {"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"}},
          to_json(body)};
}

net::HttpResponse json_document(const JsonObject& document) {
  return {200,
          {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}},
          to_json(document)};
}

net::HttpResponse nothing_here() {
  return json_error(404, make_error(ErrorKind::not_found, "there is nothing at this path"));
}

bool is_read(const net::HttpRequest& request) {
  return request.method == "GET" || request.method == "HEAD";
}

// "Bearer xyz" -> "xyz"; nullopt when there is no such header.
std::optional<std::string> bearer_of(const net::HttpRequest& request) {
  constexpr std::string_view kScheme = "bearer ";
  const std::string* header = request.header("Authorization");
  if (!header || header->size() <= kScheme.size()) return std::nullopt;
  if (!equal_ignoring_ascii_case(std::string_view(*header).substr(0, kScheme.size()), kScheme)) return std::nullopt;
  return std::string(trim(std::string_view(*header).substr(kScheme.size())));
}

Error missing_scope(Scope needed) {
  return make_error(ErrorKind::refused, fmt::format("that needs the scope {}, which this token does not have", name_of(needed)),
                    "ask whoever runs this server for a token with it", "insufficient_scope");
}

// What our tokens look like, or those of an authorization server: not what clients send where no token is asked for.
bool looks_like_a_token(std::string_view text) {
  return text.starts_with(operations::kTokenPrefix) || looks_like_jwt(text);
}

// Whoever needs no token: programs of the user who runs this one. Not even root's: it can read the token, and what it runs for
// others (a proxy, a forwarder) would open the server to all of them.
Result<Identity> own_user(const net::HttpExchange& exchange) {
  const auto user = exchange.peer_user();
  if (user && *user == ::geteuid()) {
    Identity identity = local_identity();
    identity.has_token = false;
    return identity;
  }
  return fail(ErrorKind::unauthorised,
              fmt::format("without a token only programs of the user who runs this server are served, and {}",
                          user ? fmt::format("this one is of the user {}", *user) : user.error().message),
              "send a token: holdfast token add NAME makes one");
}

std::string set_cookie(std::string_view name, std::string_view value, Millis life, bool over_tls) {
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict{}; Max-Age={}", name, value, over_tls ? "; Secure" : "",
                     life / 1000);
}

// Browsers refuse what other hosts or paths would set under such a name.
std::string tls_cookie(const std::string& name) {
  return "__Host-" + name;
}

constexpr std::string_view kThemeCookie = "holdfast_theme";
constexpr Millis kThemeLife = 365LL * 24 * 60 * 60 * 1000;
constexpr std::size_t kMaxFormBytes = 1024 * 1024;  // comments and ticks; nothing is uploaded here

bool is_form(const net::HttpRequest& request) {
  const std::string* type = request.header("Content-Type");
  return type && trim(std::string_view(*type).substr(0, type->find(';'))) == "application/x-www-form-urlencoded";
}

net::HttpResponse remember_theme(const PageRequest& request) {
  const std::string_view theme = request.form.get("theme"), back = request.form.get("back");
  net::HttpResponse response = see_other(is_own_path(back) ? std::string(back) : "/");
  const bool chosen = theme == "light" || theme == "dark";
  response.headers.emplace_back("Set-Cookie", set_cookie(kThemeCookie, chosen ? theme : "auto", chosen ? kThemeLife : 0, false));
  return response;
}

// What somebody sees who is not logged in.
net::HttpResponse login_needed_page(const PageRequest& request, bool code_was_wrong) {
  return show_bare_page(
      request, "Log in",
      [&](Html& page) {
        page.element("h1", "Please log in");
        if (code_was_wrong)
          page.element("p", "This address has been used already, or is older than ten minutes.", {{"class", "notice"}});
        page.open("p").text("On the machine that runs holdfast, type ").element("code", "holdfast login");
        page.text(" and open the address it prints. The address works once.").close();
      },
      401);
}

// What a browser sees where nothing is, whether logged in or not.
net::HttpResponse unknown_page(const PageRequest& request) {
  return show_bare_page(
      request, "Not found",
      [](Html& page) {
        page.element("h1", "There is nothing at this address");
        page.open("p").element("a", "To the timeline", {{"href", "/"}}).close();
      },
      404);
}

}  // namespace

Gateway::Gateway(GatewayOptions options, session::Store& store, Executor& executor, Pool& pool, const Clock& clock,
                 McpHandler mcp, Measure measure, Pages pages)
    : options_(std::move(options)),
      store_(store),
      executor_(executor),
      pool_(pool),
      clock_(clock),
      mcp_(std::move(mcp)),
      measure_(std::move(measure)),
      pages_(std::move(pages)),
      hosts_(options_.host, options_.allowed_hosts),
      gate_(store, executor, pool, clock),
      oauth_(options_.oauth),
      live_(store, executor, pool),
      health_(store, executor, pool) {
  if (const auto url = net::parse_http_url(options_.oauth.public_url); url && url->scheme == "https") tls_host_ = url->host;
  if (oauth_.is_enabled()) issued_.emplace(oauth_, fetch_keys_of(options_.oauth), executor, pool, clock);
  add_own_pages();
}

void Gateway::add_own_pages() {
  pages_.post(
      "/theme", [](const PageRequest& request) -> Result<net::HttpResponse> { return remember_theme(request); }, Scope::read);
  const auto log_out = [this](const PageRequest& request) -> Result<net::HttpResponse> {
    HF_CHECK(Logins(store_).end(request.cookie));
    net::HttpResponse response = see_other("/");
    response.headers.emplace_back("Set-Cookie", set_cookie(cookie_name_, {}, 0, false));
    if (!tls_host_.empty()) response.headers.emplace_back("Set-Cookie", set_cookie(tls_cookie(cookie_name_), {}, 0, true));
    return response;
  };
  pages_.post("/logout", log_out, Scope::read);
}

void Gateway::set_port(std::uint16_t port) {
  hosts_.set_port(port);
  cookie_name_ = fmt::format("holdfast_{}", port);
  const std::string address = address_of(options_.host, port);
  oauth_.set_address(address);
  if (!private_address(address, store_)) return;
  private_host_ = login_host(store_.secret());
  hosts_.add(private_host_);
}

void Gateway::handle(const Exchange& exchange) {
  const net::HttpRequest& request = exchange->request();
  if (!hosts_.host_allowed(request))
    return exchange->respond(json_error(403, make_error(ErrorKind::refused, "this Host is not served here",
                                                        "add it to the setting http.allowed_hosts if it should be")));
  if (!hosts_.origin_allowed(request))
    return exchange->respond(json_error(403, make_error(ErrorKind::refused, "requests from this Origin are not served")));

  const std::string& path = request.path;
  if (path == "/mcp") return with_token(exchange, [this, exchange](const Identity& identity) { mcp_(exchange, identity); });
  const bool is_metadata = oauth_.is_enabled() && is_resource_metadata_path(path);
  if (path == "/healthz" || path == "/metrics" || path == "/events" || path.starts_with("/assets/") || is_metadata) {
    if (!is_read(request)) return exchange->respond({405, {{"Allow", "GET, HEAD"}}, {}});
    if (path == "/healthz") return on_health(exchange);
    if (is_metadata) return exchange->respond(json_document(oauth_.metadata()));
    if (path == "/metrics")
      return with_token(exchange, [this, exchange](const Identity& identity) {
        if (identity.scopes.has(Scope::admin)) return on_metrics(exchange);
        net::HttpResponse refusal = json_error(403, missing_scope(Scope::admin));
        refusal.headers.emplace_back("WWW-Authenticate", oauth_.challenge_scope(Scope::admin));
        exchange->respond(std::move(refusal));
      });
    if (path == "/events") return on_events(exchange);
    auto asset = asset_at(path);
    return exchange->respond(asset ? std::move(*asset) : nothing_here());
  }
  if (path == "/" && is_read(request))
    if (const Fields query = Fields::parse(request.query); query.has("code"))
      return on_login(exchange, std::string(query.get("code")));
  on_page(exchange);
}

void Gateway::with_token(const Exchange& exchange, std::function<void(const Identity&)> then) {
  auto token = bearer_of(exchange->request());
  const auto refuse = [exchange](std::string challenge, const Error& error) {
    net::HttpResponse response = json_error(401, error);
    response.headers.emplace_back("WWW-Authenticate", std::move(challenge));
    exchange->respond(std::move(response));
  };
  const auto admit = [exchange, then = std::move(then)](const Identity& identity) {
    exchange->admit([then, identity] { then(identity); });
  };
  const auto without_token = [this, exchange, admit, refuse] {
    const auto identity = own_user(*exchange);
    if (identity) return admit(*identity);
    refusals_.note(exchange->request().peer, identity.error().message);
    refuse(oauth_.challenge(), identity.error());
  };
  if (!options_.authenticate && !(token && looks_like_a_token(*token))) return without_token();
  if (!token)
    return refuse(oauth_.challenge(), make_error(ErrorKind::unauthorised, "a token is needed: Authorization: Bearer TOKEN",
                                                 "the first token is in the file `token` of holdfast's data folder"));
  const auto admitted = [this, exchange, admit, refuse, without_token](const Result<Identity>& identity) {
    if (identity) return admit(*identity);
    const Error& error = identity.error();
    if (error.kind != ErrorKind::unauthorised) return exchange->respond(json_error(503, error));
    if (!options_.authenticate) return without_token();
    refusals_.note(exchange->request().peer, error.message);
    refuse(oauth_.challenge_invalid(error.message), error);
  };
  // Ours have no dots.
  if (issued_ && looks_like_jwt(*token)) return issued_->admit(*token, admitted);
  gate_.admit(std::move(*token), admitted);
}

void Gateway::answer_from_pool(const Exchange& exchange, std::move_only_function<net::HttpResponse()> make) {
  pool_.submit([this, exchange, make = std::move(make)]() mutable {
    auto response = std::make_shared<net::HttpResponse>(make());
    executor_.post([exchange, response] { exchange->respond(std::move(*response)); });
  });
}

void Gateway::on_health(const Exchange& exchange) {
  health_.ask([this, exchange](const Health::Answer& health) {
    exchange->respond(health_response(exchange->request(), health, options_.version));
  });
}

void Gateway::on_metrics(const Exchange& exchange) {
  auto metrics = std::make_shared<MetricsText>();
  measure_(*metrics);
  const auto uptime = std::chrono::steady_clock::now() - started_;
  metrics->gauge("uptime_seconds", "Time since the server started.",
                 static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(uptime).count()));
  answer_from_pool(exchange, [this, metrics]() -> net::HttpResponse {
    add_process_metrics(*metrics, options_.version);
    add_store_metrics(*metrics, store_);
    return {200, {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}, {"Cache-Control", "no-store"}}, metrics->text()};
  });
}

void Gateway::on_login(const Exchange& exchange, std::string code) {
  // A link preview must not use the code up.
  if (exchange->request().method == "HEAD") return exchange->respond(page_response(200, {}));
  const net::HttpRequest& request = exchange->request();
  const bool over_tls = is_over_tls(request);
  answer_from_pool(exchange,
                   [this, asked = page_request(request), place = place_of(*exchange), name = cookie_name(request), over_tls,
                    peer = request.peer, code = std::move(code)]() -> net::HttpResponse {
                     auto cookie = Logins(store_).redeem(code, place);
                     if (!cookie) return error_page(asked, cookie.error());
                     if (!*cookie) {
                       refusals_.note(peer, "it came with a login code that is used up, too old, or none of ours");
                       return login_needed_page(asked, true);
                     }
                     net::HttpResponse response = see_other("/");
                     response.headers.emplace_back("Set-Cookie", set_cookie(name, **cookie, kBrowserSessionLife, over_tls));
                     return response;
                   });
}

void Gateway::on_events(const Exchange& exchange) {
  with_login(exchange, page_request(exchange->request()),
             [this, exchange](const PageRequest& asked) { live_.join(exchange, asked); });
}

void Gateway::with_login(const Exchange& exchange, PageRequest asked, std::function<void(PageRequest)> then) {
  const auto page = std::make_shared<PageRequest>(std::move(asked));
  const auto admit = [this, exchange, page, then = std::move(then)] {
    page->form_token = make_form_token(store_.secret(), page->cookie);
    exchange->admit([page, then] { then(std::move(*page)); });
  };
  if (!options_.authenticate) {
    const auto identity = own_user(*exchange);
    if (!identity) {
      refusals_.note(exchange->request().peer, identity.error().message);
      return exchange->respond(error_page(*page, identity.error()));
    }
    page->cookie.clear();
    static_cast<Identity&>(*page) = *identity;
    return admit();
  }
  pool_.submit([this, exchange, page, admit, place = place_of(*exchange)] {
    auto refusal = std::make_shared<std::optional<net::HttpResponse>>(identify(*page, place));
    executor_.post([exchange, admit, refusal] {
      if (*refusal) return exchange->respond(std::move(**refusal));
      admit();
    });
  });
}

void Gateway::on_page(const Exchange& exchange) {
  const net::HttpRequest& request = exchange->request();
  Pages::Match match;
  if (!pages_.find(request.method, request.path, match)) {
    const std::string* accept = request.header("Accept");
    const bool is_browser = accept && accept->contains("text/html");
    return exchange->respond(is_browser ? unknown_page(page_request(request)) : nothing_here());
  }
  if (!match.handler) return exchange->respond({405, {{"Allow", match.allow}}, {}});
  PageRequest asked = page_request(request);
  asked.parts = std::move(match.parts);
  const bool is_post = request.method == "POST";
  // A browser always names the origin of a form; handle() has looked at which one it is.
  if (is_post && (!request.header("Origin") || !is_form(request)))
    return exchange->respond(json_error(403, make_error(ErrorKind::refused, "forms are taken from pages of this server alone")));
  with_login(exchange, std::move(asked),
             [this, exchange, handler = match.handler, needs = match.needs, is_post](PageRequest known) {
               const std::string& form = exchange->request().body;
               if (is_post && form.size() > kMaxFormBytes)
                 return exchange->respond(json_error(413, make_error(ErrorKind::too_large, "this form is too large")));
               if (is_post) known.form = Fields::parse(form);
               answer_from_pool(exchange, [this, asked = std::move(known), handler, needs, is_post]() -> net::HttpResponse {
                 if (is_post && !form_token_fits(store_.secret(), asked.cookie, asked.form.get(kFormTokenField)))
                   return error_page(asked, make_error(ErrorKind::refused, "this form does not belong to your login",
                                                       "open the page again and send it from there"));
                 if (!asked.scopes.has(needs)) return error_page(asked, missing_scope(needs));
                 auto response = (*handler)(asked);
                 return response ? std::move(*response) : error_page(asked, response.error());
               });
             });
}

bool Gateway::is_over_tls(const net::HttpRequest& request) const {
  return !tls_host_.empty() && AllowedHosts::host_of(request) == tls_host_;
}

std::string Gateway::cookie_name(const net::HttpRequest& request) const {
  return is_over_tls(request) ? tls_cookie(cookie_name_) : cookie_name_;
}

// Behind a proxy, whose process it is says nothing about the browser; but then the host is not this machine.
LoginPlace Gateway::place_of(net::HttpExchange& exchange) const {
  const std::string host = AllowedHosts::host_of(exchange.request());
  LoginPlace place;
  if (host == private_host_) place.host = host;
  if (host != private_host_ && !is_loopback(host)) return place;
  if (const auto user = exchange.peer_user()) place.user = *user;
  return place;
}

PageRequest Gateway::page_request(const net::HttpRequest& request) const {
  PageRequest page;
  page.path = request.path;
  page.query = Fields::parse(request.query);
  page.version = options_.version;
  page.now = clock_.now();
  page.wants_fragment = request.header("X-Fragment") != nullptr;
  if (const std::string* cookies = request.header("Cookie")) {
    page.cookie = cookie_in(*cookies, cookie_name(request));
    const std::string_view theme = cookie_in(*cookies, kThemeCookie);
    if (theme == "light" || theme == "dark") page.theme = theme;
  }
  return page;
}

std::optional<net::HttpResponse> Gateway::identify(PageRequest& request, const LoginPlace& place) {
  auto known = Logins(store_).identity_of(request.cookie, place, clock_.now());
  if (!known) return error_page(request, known.error());
  if (!*known) return login_needed_page(request, false);
  static_cast<Identity&>(request) = **known;
  request.is_login = true;
  return std::nullopt;
}

void RefusalLog::note(std::string_view peer, std::string_view why) {
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  if (now - minute_ >= std::chrono::minutes(1)) {
    minute_ = now;
    lines_ = 0;
  }
  if (lines_ >= kLinesAMinute) {
    ++unsaid_;
    return;
  }
  ++lines_;
  const std::string more = unsaid_ == 0 ? "" : fmt::format(" ({} more were refused before)", std::exchange(unsaid_, 0));
  log(LogLevel::warn, "web", fmt::format("{} was refused: {}{}", peer, why, more));
}

}  // namespace holdfast::web
