#include "web/front.h"

#include "base/log.h"
#include "base/text.h"
#include "web/home_page.h"
#include "web/http_status.h"
#include "web/logins.h"
#include "web/page.h"

#include <fmt/format.h>

namespace holdfast::web {

namespace {

constexpr std::string_view kLocal = "local";

// The value of one name in "a=1&b=2" or "a=1; b=2".
std::string_view value_in(std::string_view text, char separator, std::string_view name) {
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
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
  return {status, {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}}, to_json(body)};
}

net::HttpResponse failure_page(std::string_view version, const Error& error) {
  log(LogLevel::warn, "web", error.message);
  return page_response(status_of(error.kind), make_page("Error", version, [&](Html& page) {
                         page.element("h2", "This did not work").element("p", error.message, {{"class", "notice"}});
                         if (!error.hint.empty()) page.element("p", error.hint);
                       }));
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

}  // namespace

Front::Front(FrontOptions options, session::Store& store, Executor& executor, Pool& pool, const Clock& clock, McpHandler mcp,
             Measure measure)
    : options_(std::move(options)),
      store_(store),
      executor_(executor),
      pool_(pool),
      clock_(clock),
      mcp_(std::move(mcp)),
      measure_(std::move(measure)),
      hosts_(options_.host, options_.allowed_hosts),
      gate_(store, executor, pool) {}

void Front::set_port(std::uint16_t port) {
  hosts_.set_port(port);
  cookie_name_ = fmt::format("holdfast_{}", port);
}

void Front::handle(const Exchange& exchange) {
  const net::HttpRequest& request = exchange->request();
  if (!hosts_.host_allowed(request))
    return exchange->respond(json_error(403, make_error(ErrorKind::refused, "this Host is not served here",
                                                        "add it to the setting http.allowed_hosts if it should be")));
  if (!hosts_.origin_allowed(request))
    return exchange->respond(json_error(403, make_error(ErrorKind::refused, "requests from this Origin are not served")));

  const std::string& path = request.path;
  if (path == "/mcp") return with_token(exchange, [this, exchange](const std::string& principal) { mcp_(exchange, principal); });
  const bool known = path == "/" || path == "/healthz" || path == "/metrics" || path == style_path();
  if (!known) return exchange->respond(json_error(404, make_error(ErrorKind::not_found, "there is nothing at this path")));
  if (!is_read(request)) return exchange->respond({405, {{"Allow", "GET, HEAD"}}, {}});
  if (path == "/") return on_page(exchange);
  if (path == "/healthz") return on_health(exchange);
  if (path == "/metrics") return with_token(exchange, [this, exchange](const std::string&) { on_metrics(exchange); });
  exchange->respond(style_response());
}

void Front::with_token(const Exchange& exchange, std::function<void(const std::string&)> then) {
  if (!options_.authenticate) return then(std::string(kLocal));
  auto token = bearer_of(exchange->request());
  auto refuse = [exchange](std::string challenge, const Error& error) {
    net::HttpResponse response = json_error(401, error);
    response.headers.emplace_back("WWW-Authenticate", std::move(challenge));
    exchange->respond(std::move(response));
  };
  if (!token)
    return refuse("Bearer", make_error(ErrorKind::unauthorised, "a token is needed: Authorization: Bearer TOKEN",
                                       "the first token is in the file `token` of holdfast's data folder"));
  gate_.admit(std::move(*token), [exchange, then = std::move(then), refuse](const Result<std::string>& principal) {
    if (principal) return then(*principal);
    if (principal.error().kind == ErrorKind::unauthorised) return refuse("Bearer error=\"invalid_token\"", principal.error());
    exchange->respond(json_error(503, principal.error()));
  });
}

void Front::answer_from_pool(const Exchange& exchange, std::move_only_function<net::HttpResponse()> make) {
  pool_.submit([this, exchange, make = std::move(make)]() mutable {
    auto response = std::make_shared<net::HttpResponse>(make());
    executor_.post([exchange, response] { exchange->respond(std::move(*response)); });
  });
}

void Front::on_health(const Exchange& exchange) {
  const std::string* accept = exchange->request().header("Accept");
  if (accept && accept->contains("application/json"))
    return exchange->respond({200,
                              {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}},
                              to_json(JsonObject{{"status", "ok"}, {"version", options_.version}})});
  exchange->respond({200, {{"Content-Type", "text/plain; charset=utf-8"}, {"Cache-Control", "no-store"}}, "ok\n"});
}

void Front::on_metrics(const Exchange& exchange) {
  auto metrics = std::make_shared<MetricsText>();
  measure_(*metrics);
  const auto uptime = std::chrono::steady_clock::now() - started_;
  metrics->gauge("uptime_seconds", "Time since the server started.",
                 static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(uptime).count()));
  metrics->gauge("resident_memory_bytes", "Resident memory of the process.", resident_bytes());
  answer_from_pool(exchange, [this, metrics]() -> net::HttpResponse {
    auto info = store_.info();
    metrics->gauge("store_up", "1 when the store answered.", info ? 1 : 0);
    if (info) {
      metrics->gauge("store_bytes", "Size of the store.", static_cast<std::uint64_t>(info->bytes));
      metrics->gauge("store_index_bytes", "Size of its full-text index.", static_cast<std::uint64_t>(info->index_bytes));
      metrics->gauge("store_sessions", "Sessions in the store.", static_cast<std::uint64_t>(info->sessions));
      metrics->gauge("store_entries", "Entries in the store.", static_cast<std::uint64_t>(info->entries));
    }
    return {200, {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}, {"Cache-Control", "no-store"}}, metrics->text()};
  });
}

void Front::on_page(const Exchange& exchange) {
  const net::HttpRequest& request = exchange->request();
  if (std::string_view code = value_in(request.query, '&', "code"); !code.empty()) {
    // A link preview must not use the code up.
    if (request.method == "HEAD") return exchange->respond(page_response(200, {}));
    return answer_from_pool(exchange, [this, code = std::string(code)] { return log_in(code); });
  }
  const std::string* cookies = request.header("Cookie");
  std::string cookie(cookies ? value_in(*cookies, ';', cookie_name_) : std::string_view());
  answer_from_pool(exchange, [this, cookie = std::move(cookie)] { return home(cookie); });
}

net::HttpResponse Front::log_in(std::string_view code) {
  auto cookie = Logins(store_).redeem(code);
  if (!cookie) return failure_page(options_.version, cookie.error());
  if (!*cookie) return page_response(401, login_needed_page(options_.version, true));
  net::HttpResponse response = page_response(303, {});
  response.headers.emplace_back("Location", "/");
  response.headers.emplace_back("Set-Cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}", cookie_name_,
                                                          **cookie, kBrowserSessionLife / 1000));
  return response;
}

net::HttpResponse Front::home(std::string_view cookie) {
  std::string principal(kLocal);
  if (options_.authenticate) {
    auto known = Logins(store_).principal_of(cookie);
    if (!known) return failure_page(options_.version, known.error());
    if (!*known) return page_response(401, login_needed_page(options_.version, false));
    principal = **known;
  }
  auto html = home_page(store_, principal, options_.version, clock_.now());
  if (!html) return failure_page(options_.version, html.error());
  return page_response(200, std::move(*html));
}

}  // namespace holdfast::web
