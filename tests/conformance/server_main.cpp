// holdfast-conformance-server --port N [--store URL] | --stdio [--store URL]
//
// The server that the public conformance suite, the SDK clients and the load generator talk to. It is built
// from the same libraries as holdfast; only what it offers is different, and it asks for no token.

#include "base/run/log.h"
#include "base/run/poll_loop.h"
#include "fixture.h"
#include "mcp/server/test_state_store.h"
#include "mcp/transport/transport_http.h"
#include "mcp/transport/transport_stdio.h"
#include "store/open.h"
#include "tools/mcp_state.h"
#include "web/gateway/allowed_hosts.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

using namespace holdfast;

namespace {

Result<void> add_everything(mcp::Server& server) {
  HF_CHECK(conformance::add_content_tools(server));
  HF_CHECK(conformance::add_asking_tools(server));
  HF_CHECK(conformance::add_task_tools(server));
  conformance::add_resources_and_prompts(server);
  return server.open();
}

mcp::ServerOptions options() {
  mcp::ServerOptions options;
  options.name = "holdfast-conformance-server";
  options.version = HOLDFAST_VERSION;
  options.tasks = true;
  return options;
}

int complain(const Error& error) {
  std::fprintf(stderr, "holdfast-conformance-server: %s\n", error.message.c_str());
  return 1;
}

int serve_stdio(const Clock& clock, mcp::StateStore& store) {
  PollLoop loop;
  Pool pool;
  mcp::Server server(options(), loop, pool, clock, store);
  if (auto ready = add_everything(server); !ready) return complain(ready.error());
  mcp::StdioTransport transport(server, loop, 0, 1, "local");
  transport.run();
  pool.close();
  return 0;
}

int serve_http(std::uint16_t port, const Clock& clock, mcp::StateStore& store) {
  Pool pool;
  web::AllowedHosts hosts("127.0.0.1", {});
  std::unique_ptr<mcp::HttpTransport> transport;
  net::HttpServer http({}, [&](std::shared_ptr<net::HttpExchange> exchange) {
    const net::HttpRequest& request = exchange->request();
    if (!hosts.host_allowed(request) || !hosts.origin_allowed(request)) return exchange->respond({403, {}, {}});
    if (request.path == "/healthz") return exchange->respond({200, {}, "ok\n"});  // for the balancer
    if (request.path != "/mcp") return exchange->respond({404, {}, {}});
    exchange->admit([&transport, exchange] { transport->handle(exchange, local_identity()); });
  });
  mcp::Server server(options(), http.executor(), pool, clock, store);
  transport = std::make_unique<mcp::HttpTransport>(server);
  if (auto ready = add_everything(server); !ready) return complain(ready.error());
  auto bound = http.listen("127.0.0.1", port);
  if (!bound) return complain(bound.error());
  hosts.set_port(*bound);
  std::fprintf(stderr, "listening on http://127.0.0.1:%u/mcp\n", *bound);
  http.on_drain([&] { server.shut_down(); });
  http.run();
  pool.close();
  transport.reset();  // it cancels what still runs, and needs the server for that
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  bool stdio = false;
  std::uint16_t port = 0;
  std::string url;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (argument == "--stdio")
      stdio = true;
    else if (argument == "--port" && i + 1 < argc)
      port = static_cast<std::uint16_t>(std::atoi(argv[++i]));
    else if (argument == "--store" && i + 1 < argc)
      url = argv[++i];
    else
      return complain(make_error(ErrorKind::invalid, "usage: --port N [--store URL] | --stdio [--store URL]"));
  }
  SystemClock clock;
  std::unique_ptr<session::Store> kept;
  std::unique_ptr<mcp::StateStore> state;
  if (url.empty()) {
    state = std::make_unique<mcp::MemoryStateStore>(clock);
  } else {
    auto opened = store::open_store(url);
    if (!opened) return complain(opened.error());
    kept = std::move(*opened);
    state = std::make_unique<tools::McpState>(*kept);
  }
  return stdio ? serve_stdio(clock, *state) : serve_http(port, clock, *state);
}
