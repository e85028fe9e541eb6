// Calls per second of the client, over pipes and over HTTP, at 1, 32 and 128 in flight; and how long a connection
// takes. The other side is holdfast-conformance-server, whose echo tool does nothing: CONFORMANCE_SERVER names it.

#include "mcp/client/blocking_client.h"
#include "mcp/transport/transport_child.h"
#include "mcp/transport/transport_http_client.h"
#include "net/run/child_process.h"
#include "net/run/event_loop.h"

#include <benchmark/benchmark.h>

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>
#include <future>
#include <memory>
#include <string>

namespace holdfast::mcp {
namespace {

std::string server_program() {
  const char* given = std::getenv("CONFORMANCE_SERVER");
  return given ? given : "build/release/tests/conformance/holdfast-conformance-server";
}

// Keeps `in_flight` calls under way on the loop's thread until `calls` have been answered.
class Load : public std::enable_shared_from_this<Load> {
 public:
  Load(Client& client, std::int64_t calls) : client_(client), left_(calls), waiting_(calls) {}

  std::future<bool> begin(std::int64_t in_flight) {
    for (std::int64_t i = 0; i < in_flight; ++i) next();
    return done_.get_future();
  }

 private:
  void next() {
    if (left_-- <= 0) return;
    client_.call_tool("echo", {{"message", "0123456789abcdef"}}, {}, [self = shared_from_this()](CallResult<JsonObject> result) {
      self->good_ = self->good_ && result.has_value();
      if (--self->waiting_ == 0) return self->done_.set_value(self->good_);
      self->next();
    });
  }

  Client& client_;
  std::int64_t left_, waiting_;
  bool good_ = true;
  std::promise<bool> done_;
};

void measure(benchmark::State& state, net::LoopThread& thread, const TransportMaker& transport, std::optional<Version> version) {
  constexpr std::int64_t kCalls = 2'000;
  ClientOptions options;
  options.only_version = version;
  options.listen = false;
  std::unique_ptr<Client> client;
  const auto on_loop = [&](auto work) {
    std::promise<void> over;
    thread.loop().post([&] {
      work();
      over.set_value();
    });
    over.get_future().wait();
  };
  on_loop([&] { client = std::make_unique<Client>(options, ClientHandlers{}, thread.loop(), transport); });
  const auto run = [&](std::int64_t calls) {
    std::future<bool> done;
    on_loop([&] { done = std::make_shared<Load>(*client, calls)->begin(state.range(0)); });
    if (!done.get()) state.SkipWithError("a call failed");
  };
  run(200);
  for (auto _ : state) run(kCalls);
  state.SetItemsProcessed(state.iterations() * kCalls);
  std::promise<void> closed;
  thread.loop().post([&] { client->close([&] { closed.set_value(); }); });
  closed.get_future().wait();
  on_loop([&] { client.reset(); });
}

void pipes(benchmark::State& state) {
  net::LoopThread thread;
  measure(state, thread, child_transport_maker(thread.loop(), {server_program(), {"--stdio"}, {}, {}}), Version::v2025_11_25);
}
BENCHMARK(pipes)->Arg(1)->Arg(32)->Arg(128)->UseRealTime();

void http(benchmark::State& state) {
  auto server = net::start_child({{server_program(), "--port", "0"}, net::small_environment(), {}});
  if (!server) return state.SkipWithError(server.error().message.c_str());
  std::string said;
  while (said.find('\n') == said.npos) {
    pollfd waiting{server->errors.get(), POLLIN, 0};
    char buffer[512];
    if (::poll(&waiting, 1, 10'000) <= 0) break;
    const ssize_t got = ::read(server->errors.get(), buffer, sizeof buffer);
    if (got <= 0) break;
    said.append(buffer, static_cast<std::size_t>(got));
  }
  const std::size_t url = said.find("http://");
  net::LoopThread thread;
  if (url == said.npos)
    state.SkipWithError("the server did not start");
  else
    measure(state, thread, http_transport_maker(thread.loop(), {said.substr(url, said.find('\n') - url), {}, false}),
            std::nullopt);
  ::kill(-server->pid, SIGKILL);
  ::waitpid(server->pid, nullptr, 0);
}
BENCHMARK(http)->Arg(1)->Arg(32)->Arg(128)->UseRealTime();

void start_and_stop(benchmark::State& state) {
  net::LoopThread thread;
  for (auto _ : state) {
    BlockingClient client(thread.loop(), {}, {}, child_transport_maker(thread.loop(), {server_program(), {"--stdio"}, {}, {}}));
    if (!client.connect()) state.SkipWithError("no connection");
  }
}
BENCHMARK(start_and_stop)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace holdfast::mcp
