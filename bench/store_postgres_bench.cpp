// How many appends a second a PostgreSQL store makes durable, beside plain inserts of the same size into the same server in the
// same run: one statement per commit, prepared, on as many connections (what pgbench would do). `of_plain` is the ratio. One,
// four and eight threads in one node; the same threads over two nodes; and what the lock that orders commits costs, by inserts
// that take it. `thought` is a write as the tool of that name makes it: three looks, an entry and two values.
//
//   HOLDFAST_BENCH_POSTGRES=postgres://user@host/database build/release/bench/store_postgres_bench
//
// Works in the schemas holdfast_bench and holdfast_bench_plain, which it removes.

#include "store/open.h"
#include "store/postgres/connection.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace holdfast {
namespace {

using namespace session;
using store::postgres::Connection;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t kTextBytes = 1000;  // a thought
constexpr Seconds kLong{3};

template <class T>
T must(Result<T> result) {
  if (result) return *std::move(result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}

std::string address() {
  const char* url = std::getenv("HOLDFAST_BENCH_POSTGRES");
  return url != nullptr ? url : "";
}

std::string text_of(std::size_t seed) {
  // Words as text has them: some that are everywhere, some that are rare.
  std::string text;
  for (std::size_t i = 0; text.size() < kTextBytes; ++i)
    text += "word" + std::to_string(seed * 31 + i * i % 997) + (i % 3 == 0 ? " the " : " ");
  text.resize(kTextBytes);
  return text;
}

struct Rate {
  double per_second = 0;
  double p50_ms = 0, p99_ms = 0;
};

// Runs work(thread, number) in as many threads for a while.
Rate measure(int threads, const std::function<void(int, std::size_t)>& work) {
  std::mutex mutex;
  std::vector<double> times;
  const auto start = Clock::now();
  {
    std::vector<std::jthread> running;
    for (int thread = 0; thread < threads; ++thread) {
      running.emplace_back([&, thread] {
        std::vector<double> mine;
        for (std::size_t i = 0; Clock::now() - start < kLong; ++i) {
          const auto before = Clock::now();
          work(thread, i);
          mine.push_back(Seconds(Clock::now() - before).count() * 1000);
        }
        const std::lock_guard lock(mutex);
        times.insert(times.end(), mine.begin(), mine.end());
      });
    }
  }
  const double elapsed = Seconds(Clock::now() - start).count();
  std::ranges::sort(times);
  return {static_cast<double>(times.size()) / elapsed, times[times.size() / 2], times[times.size() * 99 / 100]};
}

Rate plain_inserts(int threads, bool ordered) {
  auto setup = must(Connection::open({address(), "holdfast_bench_plain", std::chrono::seconds(10)}));
  must(setup->ask("CREATE SCHEMA IF NOT EXISTS holdfast_bench_plain"));
  must(setup->ask("DROP TABLE IF EXISTS plain"));
  must(setup->ask("CREATE TABLE plain(number int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body bytea)"));
  std::vector<std::unique_ptr<Connection>> connections;
  for (int i = 0; i < threads; ++i) {
    connections.push_back(must(Connection::open({address(), "holdfast_bench_plain", std::chrono::seconds(10)})));
  }
  const Rate rate = measure(threads, [&](int thread, std::size_t i) {
    Connection& connection = *connections[static_cast<std::size_t>(thread)];
    connection.begin();
    if (ordered) connection.queue("SELECT pg_advisory_xact_lock(1)");
    connection.queue("INSERT INTO plain(body) VALUES(?)", {text_of(i)});
    must(connection.ask("COMMIT"));
  });
  must(setup->ask("DROP SCHEMA holdfast_bench_plain CASCADE"));
  return rate;
}

// What a thought does: where its connection is, its session, what the connection has seen there, one entry, and where it is now.
Result<void> think(Transaction& t, const std::string& session, NewEntry entry) {
  const std::string holder = session + "/connection";
  HF_CHECK(t.value("reasoning.connections", session));
  HF_CHECK(t.get(session));
  HF_CHECK(t.value("reasoning.holders", holder));
  HF_TRY(const Appended appended, t.append(session, std::move(entry)));
  HF_CHECK(t.get(session));
  for (const auto& [space, key] : {std::pair("reasoning.holders", holder), std::pair("reasoning.connections", session)})
    HF_CHECK(t.put(space, key, Json(static_cast<double>(appended.entry.seq)), {}, std::nullopt));
  return {};
}

Rate appends(int threads, int nodes, bool thoughts) {
  const std::string url = address();
  const std::string own = url + (url.contains('?') ? "&" : "?") + "options=-csearch_path%3Dholdfast_bench";
  std::vector<std::unique_ptr<Store>> stores;
  for (int i = 0; i < nodes; ++i) stores.push_back(must(store::open_store(own)));
  for (int i = 0; i < threads; ++i) {
    must(stores[0]->write([&](Transaction& t) {
      SessionRecord record;
      record.id = "session-" + std::to_string(i);
      record.kind = "reasoning";
      record.status = "active";
      record.root_uri = "file:///home/user/project";
      return t.create(record);
    }));
  }
  const Rate rate = measure(threads, [&](int thread, std::size_t i) {
    must(stores[static_cast<std::size_t>(thread) % stores.size()]->write([&](Transaction& t) -> Result<void> {
      const std::string session = "session-" + std::to_string(thread);
      NewEntry entry;
      entry.type = "thought";
      entry.text = text_of(i);
      if (thoughts) return think(t, session, std::move(entry));
      HF_CHECK(t.append(session, std::move(entry)));
      return {};
    }));
  });
  stores.clear();
  must(
      must(Connection::open({address(), "holdfast_bench", std::chrono::seconds(10)}))->ask("DROP SCHEMA holdfast_bench CASCADE"));
  return rate;
}

void measure_writes(benchmark::State& state, bool thoughts) {
  if (address().empty()) return state.SkipWithError("HOLDFAST_BENCH_POSTGRES names no database");
  const int threads = static_cast<int>(state.range(0)), nodes = static_cast<int>(state.range(1));
  for (auto _ : state) {
    const Rate plain = plain_inserts(threads, false);
    const Rate ordered = plain_inserts(threads, true);
    const Rate ours = appends(threads, nodes, thoughts);
    state.counters["per_second"] = ours.per_second;
    state.counters["p50_ms"] = ours.p50_ms;
    state.counters["p99_ms"] = ours.p99_ms;
    state.counters["plain_per_second"] = plain.per_second;
    state.counters["plain_p99_ms"] = plain.p99_ms;
    state.counters["ordered_per_second"] = ordered.per_second;
    state.counters["of_plain"] = ours.per_second / plain.per_second;
  }
}
void append(benchmark::State& state) {
  measure_writes(state, false);
}
void thought(benchmark::State& state) {
  measure_writes(state, true);
}
BENCHMARK(append)
    ->ArgNames({"threads", "nodes"})
    ->Args({1, 1})
    ->Args({4, 1})
    ->Args({8, 1})
    ->Args({8, 2})
    ->Args({9, 3})
    ->Iterations(1)
    ->UseRealTime();
BENCHMARK(thought)->ArgNames({"threads", "nodes"})->Args({1, 1})->Args({8, 1})->Iterations(1)->UseRealTime();

}  // namespace
}  // namespace holdfast
