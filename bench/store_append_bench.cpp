// How many appends a second are made durable, beside what the disk itself can do: writing as much as a lone append
// writes to the log (kLogBytes) and fdatasync, in a loop, in the same folder, right before. `of_disk` is the ratio;
// many writers share a commit, so theirs is above 1. And what listing and getting cost with 2,000 sessions stored.
//
//   TMPDIR=/path/on/the/disk/in/question build/release/bench/store_append_bench

#include "base/files/fd.h"
#include "base/files/test_folder.h"
#include "store/open.h"

#include <benchmark/benchmark.h>

#include <fcntl.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace holdfast {
namespace {

using namespace session;
using Seconds = std::chrono::duration<double>;

constexpr int kSessions = 64;
constexpr std::size_t kTextBytes = 1000;     // a thought
constexpr std::size_t kLogBytes = 5 * 4120;  // five pages: entry, two indexes, tally, record

template <class T>
T must(Result<T> result) {
  if (result) return *std::move(result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}

std::string id_of(int number) {
  return "session-" + std::to_string(number);
}

double disk_commits_per_second(const std::string& folder) {
  const Fd file(::open((folder + "/floor").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  constexpr std::size_t kFileBytes = 8 * 1024 * 1024;  // as large as the log grows, and like it written over again
  const std::string filler(kFileBytes, 'x');
  if (::pwrite(file.get(), filler.data(), filler.size(), 0) < 0 || ::fsync(file.get()) != 0) return 0;
  const std::string block(kLogBytes, 'y');
  const auto start = std::chrono::steady_clock::now();
  int commits = 0;
  Seconds elapsed{};
  for (off_t offset = 0; elapsed < Seconds(0.5); ++commits) {
    if (::pwrite(file.get(), block.data(), block.size(), offset) < 0 || ::fdatasync(file.get()) != 0) return 0;
    offset = (offset + static_cast<off_t>(kLogBytes)) % static_cast<off_t>(kFileBytes - kLogBytes);
    elapsed = std::chrono::steady_clock::now() - start;
  }
  return commits / elapsed.count();
}

struct Bed {
  TestFolder folder;
  std::unique_ptr<Store> store = must(store::open_store("sqlite:" + (folder / "store.db")));

  explicit Bed(int sessions) {
    must(store->write([&](Transaction& t) -> Result<int> {
      for (int i = 0; i < sessions; ++i) {
        SessionRecord record;
        record.id = id_of(i);
        record.kind = "reasoning";
        record.title = "The " + std::to_string(i) + "th line of reasoning about something";
        record.root_uri = "file:///home/user/project-" + std::to_string(i % 20);
        record.status = "active";
        record.created_at = 1'790'000'000'000 + i * 1000;
        record.tags = {"tag", "tag-" + std::to_string(i % 7)};
        record.data = {{"branches", {}}, {"note", "x"}};
        HF_CHECK(t.create(record));
      }
      return sessions;
    }));
  }
};

Result<Appended> append_one(Store& store, const std::string& id, const std::string& text) {
  return store.write([&](Transaction& t) {
    NewEntry entry;
    entry.type = "thought";
    entry.text = text;
    entry.data = R"({"thoughtType":"reasoning","nextThoughtNeeded":true})";
    return t.append(id, std::move(entry));
  });
}

std::unique_ptr<Bed> bed;
double floor_rate = 0;
std::chrono::steady_clock::time_point started;

void append(benchmark::State& state) {
  if (state.thread_index() == 0) {
    bed = std::make_unique<Bed>(kSessions);
    floor_rate = disk_commits_per_second(bed->folder.path());
  }
  const std::string id = id_of(state.thread_index() % kSessions);
  const std::string text(kTextBytes, 't');
  bool first = true;
  for (auto _ : state) {
    if (first && state.thread_index() == 0) started = std::chrono::steady_clock::now();
    first = false;
    if (!append_one(*bed->store, id, text)) state.SkipWithError("an append failed");
  }
  state.SetItemsProcessed(state.iterations());
  if (state.thread_index() == 0) {
    const Seconds elapsed = std::chrono::steady_clock::now() - started;
    const double rate = static_cast<double>(state.iterations()) * state.threads() / elapsed.count();
    state.counters["disk_per_second"] = floor_rate;
    state.counters["of_disk"] = rate / floor_rate;
    bed.reset();
  }
}
BENCHMARK(append)->Threads(1)->Threads(64)->UseRealTime()->MinTime(2);

constexpr int kStored = 2000;

void get(benchmark::State& state) {
  const Bed stored(kStored);
  int i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(must(stored.store->get(id_of(i++ % kStored))));
}
BENCHMARK(get)->Unit(benchmark::kMicrosecond);

void list_newest_20(benchmark::State& state) {
  const Bed stored(kStored);
  for (auto _ : state) benchmark::DoNotOptimize(must(stored.store->list({})));
}
BENCHMARK(list_newest_20)->Unit(benchmark::kMicrosecond);

void list_of_a_root(benchmark::State& state) {
  const Bed stored(kStored);
  Query query;
  query.roots = {"file:///home/user/project-3"};
  query.sort = Sort::resume;
  query.prefer_status = {"active"};
  for (auto _ : state) benchmark::DoNotOptimize(must(stored.store->list(query)));
}
BENCHMARK(list_of_a_root)->Unit(benchmark::kMicrosecond);

void list_text(benchmark::State& state) {
  const Bed stored(kStored);
  Query query;
  query.text = "1234th line";
  for (auto _ : state) benchmark::DoNotOptimize(must(stored.store->list(query)));
}
BENCHMARK(list_text)->Unit(benchmark::kMicrosecond);

void read_session_of_5000(benchmark::State& state) {
  const Bed stored(1);
  must(stored.store->write([](Transaction& t) -> Result<int> {
    NewEntry entry;
    entry.type = "thought";
    entry.text = std::string(kTextBytes, 't');
    for (int i = 0; i < 5000; ++i) HF_CHECK(t.append(id_of(0), entry));
    return 0;
  }));
  EntryQuery query;
  query.session = id_of(0);
  query.limit = 5000;
  for (auto _ : state) benchmark::DoNotOptimize(must(stored.store->entries(query)));
}
BENCHMARK(read_session_of_5000)->Unit(benchmark::kMillisecond);

void open_and_close(benchmark::State& state) {
  const Bed stored(kStored);
  const std::string url = "sqlite:" + (stored.folder / "store.db");
  for (auto _ : state) benchmark::DoNotOptimize(must(store::open_store(url)));
}
BENCHMARK(open_and_close)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace holdfast

BENCHMARK_MAIN();
