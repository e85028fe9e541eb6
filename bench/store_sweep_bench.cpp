// What a sweep costs among 1,000 and 100,000 sessions: one that finds nothing to do,
// which is what every day pays, and the look whether one is due, which every tool call pays.
//
//   build/release/bench/store_sweep_bench

#include "base/files/test_folder.h"
#include "session/kinds.h"
#include "session/life/sweep.h"
#include "store/open.h"

#include <benchmark/benchmark.h>

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <map>

namespace holdfast {
namespace {

using namespace session;

constexpr Millis kStart = 1'800'000'000'000;
constexpr int kBatch = 500;       // sessions of one transaction
constexpr Millis kStep = 10'000;  // between two sessions

template <class T>
T must(Result<T> result) {
  if (result) return *std::move(result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}

struct Bed {
  TestFolder folder;
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(kStart);
  RetentionPolicy policy;
  std::unique_ptr<Store> store;

  explicit Bed(int sessions) {
    store::OpenOptions options;
    options.clock = clock;
    options.due = due_rule(policy);
    store = must(store::open_store("sqlite:" + (folder / "store.db"), options));
    for (int first = 0; first < sessions; first += kBatch) {
      must(store->write([&](Transaction& transaction) -> Result<bool> {
        for (int i = first; i < first + kBatch && i < sessions; ++i) HF_CHECK(transaction.create(session_number(i)));
        return true;
      }));
      clock->advance(kStep);
    }
    // Every due time is known and everything that is due has been announced.
    must(sweep(*store, policy));
  }

  static SessionRecord session_number(int i) {
    SessionRecord record;
    record.id = "session-" + std::to_string(i);
    record.kind = i % 3 == 0 ? kReasoning : i % 3 == 1 ? kThread : kResearch;
    record.status = record.kind == kResearch ? "completed" : "active";
    record.title = "session number " + std::to_string(i);
    if (record.kind == kResearch) record.completed_at = record.retention_anchor_at = kStart;
    return record;
  }
};

Bed& bed(int sessions) {
  static std::map<int, std::unique_ptr<Bed>> beds;
  auto& made = beds[sessions];
  if (!made) made = std::make_unique<Bed>(sessions);
  return *made;
}

void nothing_to_do(benchmark::State& state) {
  Bed& all = bed(static_cast<int>(state.range(0)));
  for (auto step : state) {
    const SweepReport report = must(sweep(*all.store, all.policy));
    if (report.notices_created != 0 || !report.archived.empty()) state.SkipWithError("something was due");
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}
BENCHMARK(nothing_to_do)->Arg(1000)->Arg(100'000)->Unit(benchmark::kMillisecond);

// Not due at all: what every tool call pays.
void look_whether_due(benchmark::State& state) {
  Bed& all = bed(static_cast<int>(state.range(0)));
  for (auto step : state) benchmark::DoNotOptimize(must(sweep_if_due(*all.store, all.policy, all.clock->now())));
}
BENCHMARK(look_whether_due)->Arg(1000)->Arg(100'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace holdfast

BENCHMARK_MAIN();
