// Pages of 50 with their total out of 1,000 and out of 100,000 sessions, as the tools ask for them, and the question of a
// sweep that finds nothing. `p50_us` and `p99_us` are of single calls; the table at the end has the ratio of the two sizes,
// which should be near 1.
// Last, what it costs to purge a session and leave nothing of it in the files.
//
//   build/release/bench/store_list_bench

#include "base/files/test_folder.h"
#include "store/open.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>

namespace holdfast {
namespace {

using namespace session;

constexpr int kSmall = 1'000;
constexpr int kLarge = 100'000;
constexpr Millis kStart = 1'790'000'000'000;
constexpr Millis kDay = 86'400'000;

template <class T>
T must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// One session in twenty is archived, one in a hundred pinned or deleted, one in fifty somebody else's.
SessionRecord record_of(int i) {
  struct Sort {
    const char* kind;
    const char* status;
    const char* aspect;
  };
  constexpr std::array<Sort, 10> kSorts = {{{"reasoning", "active", ""},
                                            {"reasoning", "active", "design"},
                                            {"reasoning", "completed", ""},
                                            {"thread", "active", "chat"},
                                            {"thread", "active", "thinkdeep"},
                                            {"thread", "created", "ideate"},
                                            {"research", "completed", ""},
                                            {"research", "in_progress", ""},
                                            {"document", "open", ""},
                                            {"run", "done", ""}}};
  const Sort& sort = kSorts[static_cast<std::size_t>(i) * 7 % kSorts.size()];
  SessionRecord record;
  record.id = fmt::format("0199a{:03x}-{:04x}-7000-8000-{:012x}", i % 4096, i * 31 % 65536, i);
  record.kind = sort.kind;
  record.status = sort.status;
  record.aspect = sort.aspect;
  record.title = fmt::format("The {}th session about something", i);
  record.opening = "What did we decide about the retries of the second service?";
  record.root_uri = i % 5 == 0 ? "" : fmt::format("file:///home/user/project-{}", i * 3 % 89);
  record.tags = {"tag", fmt::format("tag-{}", i % 7)};
  record.data = {{"note", "x"}};
  record.pinned = i % 100 == 3;
  record.principal = i % 50 == 7 ? "ann" : "local";
  record.created_at = kStart + i * 1000;
  record.updated_at = record.created_at + (i * 7919L % 1000) * 100'000;
  if (i % 20 == 11) record.visibility = Visibility::archived;
  if (i % 100 == 13) record.visibility = Visibility::deleted;
  return record;
}

std::optional<Millis> due_of(const SessionRecord& record) {
  if (record.kind != "thread" || record.pinned) return std::nullopt;
  return record.last_activity_at + 7 * kDay;
}

long resident_kb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::strtol(line.c_str() + 6, nullptr, 10);
  }
  return 0;
}

struct Bed {
  TestFolder folder;
  std::unique_ptr<Store> store;

  explicit Bed(int sessions) {
    store = open();
    constexpr int kStep = 1000;
    for (int first = 0; first < sessions; first += kStep) {
      must(store->write([&](Transaction& t) -> Result<void> {
        for (int i = first; i < first + kStep; ++i) HF_CHECK(t.create(record_of(i)));
        return {};
      }));
    }
    store = open();
  }
  std::unique_ptr<Store> open() const {
    store::OpenOptions options;
    options.due = due_of;
    return must(store::open_store("sqlite:" + (folder / "store.db"), options));
  }
};

Bed& bed_of(int sessions) {
  static std::map<int, std::unique_ptr<Bed>> beds;
  auto& bed = beds[sessions];
  if (bed == nullptr) bed = std::make_unique<Bed>(sessions);
  return *bed;
}

std::map<std::string, std::map<int, double>> medians;

Query page_of_50() {
  Query query;
  query.limit = 50;
  query.principal = "local";
  return query;
}

Query with(const std::function<void(Query&)>& change) {
  Query query = page_of_50();
  change(query);
  return query;
}

void list(benchmark::State& state, const std::string& name, const std::function<Query(Store&)>& make) {
  const int sessions = static_cast<int>(state.range(0));
  Bed& bed = bed_of(sessions);
  const Query query = make(*bed.store);
  std::vector<double> times;
  std::int64_t total = 0;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    const Page page = must(bed.store->list(query));
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    total = page.total;
  }
  std::ranges::sort(times);
  state.counters["p50_us"] = times[times.size() / 2];
  state.counters["p99_us"] = times[times.size() * 99 / 100];
  state.counters["total"] = static_cast<double>(total);
  state.counters["rss_kb"] = static_cast<double>(resident_kb());
  medians[name][sessions] = times[times.size() / 2];
}

void add(const std::string& name, const std::function<Query(Store&)>& make) {
  benchmark::RegisterBenchmark(name.c_str(), [name, make](benchmark::State& state) { list(state, name, make); })
      ->Arg(kSmall)
      ->Arg(kLarge)
      ->Unit(benchmark::kMicrosecond);
}

void add_all() {
  const auto plain = [](const std::string& name, const std::function<void(Query&)>& change) {
    add(name, [change](Store&) { return with(change); });
  };
  plain("no_filter", [](Query&) {});
  plain("one_kind", [](Query& q) { q.kinds = {"thread"}; });
  plain("two_kinds", [](Query& q) { q.kinds = {"thread", "research"}; });
  plain("thread_aspect", [](Query& q) { q.kinds = {"thread"}, q.aspects = {"chat", "ideate"}; });
  plain("status", [](Query& q) { q.statuses = {"completed"}; });
  plain("archived", [](Query& q) { q.visibilities = {Visibility::archived}; });
  plain("pinned", [](Query& q) { q.pinned = true; });
  plain("by_created", [](Query& q) { q.sort = Sort::created; });
  plain("by_due", [](Query& q) { q.sort = Sort::due; });
  plain("resume", [](Query& q) { q.sort = Sort::resume, q.prefer_status = {"active"}; });
  plain("somebody_else", [](Query& q) { q.principal = "ann"; });
  add("second_page", [](Store& store) {
    Query query = page_of_50();
    query.cursor = must(store.list(query)).next_cursor;
    return query;
  });
  add("page_in_the_middle", [](Store& store) {
    Query query = page_of_50();
    query.limit = 1000;
    const std::int64_t half = must(store.list(query)).total / 2;
    for (std::int64_t seen = 0; seen < half; seen += 1000) query.cursor = must(store.list(query)).next_cursor;
    query.limit = 50;
    return query;
  });
  plain("root_and_rootless", [](Query& q) { q.roots = {"file:///home/user/project-7"}, q.rootless = true; });
  plain("one_root", [](Query& q) { q.roots = {"file:///home/user/project-7"}; });
  plain("updated_since", [](Query& q) { q.updated_since = kStart + 99'000'000; });
  plain("text", [](Query& q) { q.text = "777th session"; });
  plain("text_everywhere", [](Query& q) { q.text = "session about"; });
  plain("text_one_letter", [](Query& q) { q.text = "E"; });
  plain("text_nowhere", [](Query& q) { q.text = "not to be found"; });
  plain("tag_of_all", [](Query& q) { q.tags = {"tag"}; });
  plain("tag_of_some", [](Query& q) { q.tags = {"tag", "tag-3"}; });
  plain("no_project", [](Query& q) { q.project = ""; });
  plain("text_root_date_by_due", [](Query& q) {
    q.text = "th session";
    q.roots = {"file:///home/user/project-7"}, q.rootless = true;
    q.updated_since = kStart + 99'000'000;
    q.sort = Sort::due;
  });
  plain("sweep_finds_nothing", [](Query& q) {
    q.principal.reset();
    q.visibilities = {Visibility::live, Visibility::archived, Visibility::deleted};
    q.sort = Sort::due;
    q.due_before = kStart;
    q.count = false;
  });
}

// The first looks at the whole file for what SQLite left behind, the following ones at the pages that changed since.
void purge(benchmark::State& state) {
  const int sessions = static_cast<int>(state.range(0));
  Bed& bed = bed_of(sessions);
  std::vector<double> times;
  static int number = kLarge;
  for (auto _ : state) {
    state.PauseTiming();
    const SessionRecord record = record_of(++number);
    must(bed.store->write([&](Transaction& t) { return t.create(record); }));
    state.ResumeTiming();
    const auto start = std::chrono::steady_clock::now();
    must(bed.store->write([&](Transaction& t) { return t.purge(record.id, "bench"); }));
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  state.counters["first_us"] = times.front();
  std::ranges::sort(times);
  state.counters["p50_us"] = times[times.size() / 2];
  medians["purge"][sessions] = times[times.size() / 2];
}
BENCHMARK(purge)->Arg(kSmall)->Arg(kLarge)->Unit(benchmark::kMicrosecond)->Iterations(50);

void print_ratios() {
  fmt::print("\n{:<22}{:>14}{:>14}{:>10}\n", "p50 of a page", "1,000 (us)", "100,000 (us)", "ratio");
  for (const auto& [name, sizes] : medians) {
    if (sizes.size() < 2) continue;
    fmt::print("{:<22}{:>14.0f}{:>14.0f}{:>10.2f}\n", name, sizes.at(kSmall), sizes.at(kLarge),
               sizes.at(kLarge) / sizes.at(kSmall));
  }
}

}  // namespace
}  // namespace holdfast

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  holdfast::add_all();
  benchmark::RunSpecifiedBenchmarks();
  holdfast::print_ratios();
  benchmark::Shutdown();
}
