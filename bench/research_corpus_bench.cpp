// A corpus of 200 MB, generated the same way every time: how fast it is indexed, brought up to date and searched, beside a
// program without an index that reads every document for every question.
//
//   build/release/bench/research_corpus_bench

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "generated_text.h"
#include "kinds/research/corpus/corpus.h"
#include "search/query/ranked_query.h"
#include "search/words/words.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace holdfast::research {
namespace {

using bench::Numbers;
using bench::random_rank;
using bench::word_of;

constexpr std::size_t kCorpusBytes = 200'000'000, kFileBytes = 25'000;
constexpr int kQueries = 400;

std::string document(std::uint64_t number) {
  Numbers numbers(number);
  std::string text = fmt::format("# Document {}\n\n", number);
  while (text.size() < kFileBytes) {
    const std::uint64_t kind = numbers.next() % 20;
    const std::string word = word_of(random_rank(numbers));
    if (kind == 0)
      text += word + "_" + word_of(random_rank(numbers));
    else if (kind == 1)
      text += fmt::format("{:x}", numbers.next());
    else
      text += word;
    const std::uint64_t end = numbers.next() % 60;
    text += end == 0 ? ".\n\n" : end < 5 ? ".\n" : end < 9 ? ", " : " ";
  }
  return text;
}

struct Documents {
  Documents() {
    for (std::uint64_t i = 0; i * kFileBytes < kCorpusBytes; ++i) {
      const std::string parent = folder / fmt::format("docs/{}", i % 50);
      std::filesystem::create_directories(parent);
      const std::string path = fmt::format("{}/{}.md", parent, i);
      const std::string text = document(i);
      std::ofstream(path, std::ios::binary) << text;
      std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
      paths.push_back(path);
      bytes += text.size();
    }
  }
  std::vector<CorpusRoot> roots() const { return {{"docs", folder / "docs", {}}}; }

  TestFolder folder;
  std::vector<std::string> paths;
  std::size_t bytes = 0;
};

const Documents& documents() {
  static const Documents made;
  return made;
}

double peak_mb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void add_rate(benchmark::State& state) {
  state.counters["MB/s"] = benchmark::Counter(
      static_cast<double>(documents().bytes) / 1e6 * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void index_all(benchmark::State& state) {
  const Documents& all = documents();
  const double before = peak_mb();
  for (auto _ : state) benchmark::DoNotOptimize(Corpus::open(all.roots(), "").value()->update({}, {}).value());
  add_rate(state);
  state.counters["peak_MB"] = peak_mb();
  state.counters["peak_before_MB"] = before;
}
BENCHMARK(index_all)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime()->Iterations(3);

Corpus& corpus() {
  static const auto opened = [] {
    auto made = Corpus::open(documents().roots(), documents().folder / "cache").value();
    if (!made->update({}, {})) std::abort();
    return made;
  }();
  return *opened;
}

void update_without_changes(benchmark::State& state) {
  corpus();
  for (auto _ : state) benchmark::DoNotOptimize(corpus().update({}, {}).value());
}
BENCHMARK(update_without_changes)->Unit(benchmark::kMillisecond);

void update_one_file(benchmark::State& state) {
  const std::string& path = documents().paths[1234];
  std::int64_t round = 0;
  corpus();
  for (auto _ : state) {
    state.PauseTiming();
    std::ofstream(path, std::ios::binary) << document(1'000'000 + static_cast<std::uint64_t>(++round));
    state.ResumeTiming();
    if (corpus().update({}, {}).value().indexed != 1) std::abort();
  }
}
BENCHMARK(update_one_file)->Unit(benchmark::kMillisecond)->Iterations(5);

void open_from_cache(benchmark::State& state) {
  corpus();
  for (auto _ : state)
    benchmark::DoNotOptimize(Corpus::open(documents().roots(), documents().folder / "cache").value()->update({}, {}).value());
}
BENCHMARK(open_from_cache)->Unit(benchmark::kMillisecond)->Iterations(3);

std::vector<std::string> queries(std::uint64_t lowest_rank, std::uint64_t highest_rank, int words) {
  Numbers numbers(lowest_rank + highest_rank);
  std::vector<std::string> made;
  for (int i = 0; i < kQueries; ++i) {
    std::string& query = made.emplace_back();
    for (int word = 0; word < words; ++word) query += word_of(lowest_rank + numbers.next() % (highest_rank - lowest_rank)) + ' ';
  }
  return made;
}

// In wall time and, because other programs may want the processor, too, in time of this thread.
void add_percentiles(benchmark::State& state, const std::string& name, std::vector<double>& times) {
  std::ranges::sort(times);
  state.counters["p50_" + name] = times[times.size() / 2];
  state.counters["p99_" + name] = times[times.size() * 99 / 100];
}

double cpu_ms() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

void search(benchmark::State& state, std::uint64_t lowest_rank, std::uint64_t highest_rank, int words) {
  corpus();
  std::vector<double> times, cpu_times;
  for (auto _ : state) {
    for (const std::string& query : queries(lowest_rank, highest_rank, words)) {
      const auto begun = std::chrono::steady_clock::now();
      const double cpu_begun = cpu_ms();
      benchmark::DoNotOptimize(corpus().search(query, 10).value());
      cpu_times.push_back(cpu_ms() - cpu_begun);
      times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count());
    }
  }
  add_percentiles(state, "ms", times);
  add_percentiles(state, "cpu_ms", cpu_times);
}
BENCHMARK_CAPTURE(search, rare_words, 50'000, 200'000, 3)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(search, common_words, 1, 60, 3)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(search, mixed_words, 1, 20'000, 8)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(search, twenty_common_words, 1, 200, 20)->Unit(benchmark::kMillisecond)->Iterations(1);

// The floor: what a question costs when every document is read for it.
void scan_without_index(benchmark::State& state) {
  const Documents& all = documents();
  const std::vector<std::string> words = search::words_of("tarenimo konikase luproter");
  for (auto _ : state)
    for (const std::string& path : all.paths) benchmark::DoNotOptimize(search::count_words(read_file(path).value(), words));
  add_rate(state);
}
BENCHMARK(scan_without_index)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(2);

}  // namespace
}  // namespace holdfast::research
