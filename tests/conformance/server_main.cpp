// holdfast-conformance-server --port N [--store URL] | --stdio
//
// The server that the public conformance suite, the SDK clients and the load generator talk to. It is built
// from the same libraries as holdfast; only what it offers is different, and it asks for no token.

#include "base/log.h"
#include "base/poll_loop.h"
#include "fixture.h"
#include "mcp/memory_state_store.h"
#include "mcp/transport_http.h"
#include "mcp/transport_stdio.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
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

bool is_loopback_name(std::string_view host) {
  std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) host = host.substr(0, colon);
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

int serve_http(std::uint16_t port, const Clock& clock, mcp::StateStore& store) {
  Pool pool;
  std::unique_ptr<mcp::HttpTransport> transport;
  net::HttpServer http({}, [&](std::shared_ptr<net::HttpExchange> exchange) {
    const net::HttpRequest& request = exchange->request();
    const std::string* host = request.header("Host");
    const std::string* origin = request.header("Origin");
    bool local = host && is_loopback_name(*host) &&
                 (!origin || (origin->starts_with("http://") && is_loopback_name(std::string_view(*origin).substr(7))));
    if (!local) return exchange->respond({403, {}, {}});
    if (request.path != "/mcp") return exchange->respond({404, {}, {}});
    transport->handle(std::move(exchange), "local");
  });
  mcp::Server server(options(), http.executor(), pool, clock, store);
  transport = std::make_unique<mcp::HttpTransport>(server);
  if (auto ready = add_everything(server); !ready) return complain(ready.error());
  auto bound = http.listen("127.0.0.1", port);
  if (!bound) return complain(bound.error());
  std::fprintf(stderr, "listening on http://127.0.0.1:%u/mcp\n", *bound);
  http.on_drain([&] { server.shut_down(); });
  http.run();
  pool.close();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  bool stdio = false;
  std::uint16_t port = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--stdio") == 0) stdio = true;
    if (std::strcmp(argv[i], "--port") == 0 && i + 1 < argc) port = static_cast<std::uint16_t>(std::atoi(argv[++i]));
  }
  SystemClock clock;
  mcp::MemoryStateStore store(clock);
  return stdio ? serve_stdio(clock, store) : serve_http(port, clock, store);
}
