// What a model waits for: reading and editing a document of 1 MB, durable, through the workspace, beside the bare work of the
// disk in the same folder: 1 MB written and synced, renamed, the folder synced.
//
//   TMPDIR=/path/on/the/disk/in/question build/release/bench/documents_edit_bench
//
// Counters: p50 and p99 in milliseconds; of edits, the share of the disk's own p50.

#include "base/files/fd.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "kinds/documents/workspace/workspace.h"
#include "store/open.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace holdfast::documents {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBytes = 1'000'000;
constexpr int kRounds = 200;

template <class T>
T must(Result<T> result) {
  if (result) return *std::move(result);
  std::fprintf(stderr, "%s: %s\n", result.error().message.c_str(), result.error().hint.c_str());
  std::exit(1);
}

// Words in lines, every line its own, so that an edit names one place.
std::string text_of(std::size_t bytes) {
  std::string text;
  for (int line = 0; text.size() < bytes; ++line)
    text += fmt::format("Line {} says that the kelp grows slowly at depth {}, and the wharf is shut.\n", line, line * 7 % 97);
  return text;
}

struct Bed {
  Bed() {
    std::filesystem::create_directories(folder / "kb");
    LibrarySettings settings;
    settings.folders = {{"kb", folder / "kb", false}};
    settings.state_folder = folder / "state";
    if (auto written = replace_file(folder / "kb/a.md", text_of(kBytes)); !written) std::exit(1);
    workspace = must(Workspace::open(settings, session::SharedStore(*store), clock));
    const std::string answer = must(workspace->create_session({}, "bench", "", ""));
    asker.session_id = answer.substr(0, answer.find('\n'));
  }
  TestFolder folder;
  SystemClock clock;
  std::unique_ptr<session::Store> store = must(store::open_store("sqlite:" + (folder / "store.db")));
  std::unique_ptr<Workspace> workspace;
  Asker asker;
};

struct Times {
  std::vector<double> ms;
  template <class Work>
  void measure(Work&& work) {
    const auto begin = Clock::now();
    work();
    ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  double at(double share) {
    std::ranges::sort(ms);
    return ms.at(static_cast<std::size_t>(share * static_cast<double>(ms.size() - 1)));
  }
};

double disk_p50(const std::string& folder) {
  const std::string bytes = text_of(kBytes);
  Times times;
  for (int i = 0; i < 50; ++i) times.measure([&] { (void)replace_file(folder + "/floor", bytes); });
  return times.at(0.5);
}

void report(benchmark::State& state, Times& times) {
  state.counters["p50_ms"] = times.at(0.5);
  state.counters["p99_ms"] = times.at(0.99);
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

void read_1mb(benchmark::State& state) {
  Bed bed;
  Times times;
  ReadRequest request;
  request.file_path = "a.md";
  for (auto _ : state) {
    request.offset = static_cast<std::int64_t>(times.ms.size() * 50 % 10'000 + 1);
    times.measure([&] { must(bed.workspace->read(bed.asker, request)); });
  }
  report(state, times);
}
BENCHMARK(read_1mb)->Iterations(kRounds)->Unit(benchmark::kMillisecond)->UseRealTime();

void edit_1mb(benchmark::State& state) {
  Bed bed;
  ReadRequest whole;
  whole.file_path = "a.md";
  must(bed.workspace->read(bed.asker, whole));
  const double disk = disk_p50(bed.folder.path());
  Times times;
  for (auto _ : state) {
    const int line = static_cast<int>(times.ms.size()) * 31 % 10'000;
    EditRequest request;
    request.file_path = "a.md";
    request.edits = {{fmt::format("Line {} says that the kelp grows slowly", line),
                      fmt::format("Line {} says that the kelp grows fast", line), false}};
    times.measure([&] { must(bed.workspace->edit(bed.asker, request)); });
  }
  report(state, times);
  state.counters["disk_p50_ms"] = disk;
  state.counters["of_disk"] = times.at(0.5) / disk;
}
BENCHMARK(edit_1mb)->Iterations(kRounds)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace holdfast::documents
