#pragma once

// The gateway of the HTTP server: who may come in, and where they want to go.
//
// Every request passes Host and Origin first, whatever its path. Then: /mcp and /metrics take a bearer token
// and nothing else, one of ours (token_gate.h) or of the configured issuer (oauth_tokens.h); pages and their live events take the
// cookie of a login, from where it was given out (logins.h); /healthz and the assets are open. A form (POST) must say where it
// comes from and carry the token of that login (logins.h). Nothing here knows MCP, or what is on a page: it gets a function
// and a table (pages.h) to hand such requests to.
//
// All of that is judged by the head of a request. Only who has shown a token or a login is admitted (net/http/http_server.h):
// nobody else's body is read.
//
// I/O thread only. What needs the store runs on the pool and is answered from the I/O thread. The pool must
// be closed before the gateway is destroyed.

#include "base/identity.h"
#include "base/run/clock.h"
#include "base/run/executor.h"
#include "base/run/pool.h"
#include "net/http/http_server.h"
#include "session/store.h"
#include "web/gateway/allowed_hosts.h"
#include "web/gateway/health.h"
#include "web/gateway/logins.h"
#include "web/gateway/oauth_tokens.h"
#include "web/gateway/token_gate.h"
#include "web/metrics/metrics_text.h"
#include "web/pages/live_events.h"
#include "web/pages/pages.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::web {

// Says in the log that somebody came with a token, a code or a connection that opens nothing: the trace that guessing leaves.
//
// A flood of guesses must not become a flood of lines: after kLinesAMinute they are counted, and the next line says how many
// there were. What was presented is never written. Any thread.
class RefusalLog {
 public:
  static constexpr int kLinesAMinute = 30;

  // peer: "127.0.0.1:50123"; why: one line, of our making.
  void note(std::string_view peer, std::string_view why);

 private:
  std::mutex mutex_;
  std::chrono::steady_clock::time_point minute_{};  // when the present one began
  int lines_ = 0;                                   // of this minute
  std::uint64_t unsaid_ = 0;
};

struct GatewayOptions {
  std::string version;
  std::string host;  // the address we listen on
  std::vector<std::string> allowed_hosts;
  // False (--no-auth): programs of the user who runs the server are `local` without a token.
  bool authenticate = true;
  OauthSettings oauth = {};  // whose access tokens are taken beside our own; no issuer: none
};

class Gateway {
 public:
  using Exchange = std::shared_ptr<net::HttpExchange>;
  using McpHandler = std::function<void(Exchange, const Identity& identity)>;
  // Adds the numbers that only others know; I/O thread.
  using Measure = std::function<void(MetricsText&)>;

  Gateway(GatewayOptions options, session::Store& store, Executor& executor, Pool& pool, const Clock& clock, McpHandler mcp,
          Measure measure, Pages pages);

  // Once it is known; cookies are named after it, so that two servers of one machine do not log each other out.
  void set_port(std::uint16_t port);

  void handle(const Exchange& exchange);

  // I/O thread, before the server stops: /healthz answers 503, so that a balancer sends nobody here any more.
  void announce_end() { health_.leaving(); }
  // What WWW-Authenticate says to somebody whose token lacks this.
  std::string scope_challenge(Scope needed) const { return oauth_.challenge_scope(needed); }
  // I/O thread, when the server stops: ends the streams of open pages, which would last for ever.
  void close_streams() { live_.close(); }
  // What open pages hear beside the store (live_events.h).
  LiveEvents& live() { return live_; }

 private:
  void on_login(const Exchange& exchange, std::string code);
  void on_events(const Exchange& exchange);
  void on_page(const Exchange& exchange);
  void on_health(const Exchange& exchange);
  void on_metrics(const Exchange& exchange);
  // Admits the client and runs with whose the bearer token is, or answers 401.
  void with_token(const Exchange& exchange, std::function<void(const Identity& identity)> then);
  // Admits the client and runs with whose login it is, or answers with the page that says how to get one.
  void with_login(const Exchange& exchange, PageRequest asked, std::function<void(PageRequest asked)> then);
  // Runs on the pool and answers with what it returns.
  void answer_from_pool(const Exchange& exchange, std::move_only_function<net::HttpResponse()> make);
  void add_own_pages();
  // What is known of a request without asking the store.
  PageRequest page_request(const net::HttpRequest& request) const;
  // Where the browser is that asks.
  LoginPlace place_of(net::HttpExchange& exchange) const;
  // What the login's cookie is called there.
  std::string cookie_name(const net::HttpRequest& request) const;
  bool is_over_tls(const net::HttpRequest& request) const;
  // Fills in whose request it is; the page to answer with when it is nobody's. Blocks.
  std::optional<net::HttpResponse> identify(PageRequest& request, const LoginPlace& place);

  GatewayOptions options_;
  session::Store& store_;
  Executor& executor_;
  Pool& pool_;
  const Clock& clock_;
  McpHandler mcp_;
  Measure measure_;
  Pages pages_;
  AllowedHosts hosts_;
  std::string private_host_;  // login_host(), when the server is on this machine
  std::string tls_host_;      // of an address that clients reach us at over TLS; empty: none is known
  RefusalLog refusals_;
  TokenGate gate_;
  OauthResource oauth_;
  std::optional<OauthTokens> issued_;  // only with an issuer
  LiveEvents live_;
  Health health_;
  std::string cookie_name_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace holdfast::web
