// How fast lines are looked into and changed, beside the floors in the same run: splitting the same bytes into lines with
// memchr, and copying them with memcpy. `of_split` and `of_memcpy` are the ratios. The data has the shapes of real transcripts:
// one fifth short side records, the rest messages with code and prose in long escaped strings, some of them images.
//
//   build/release/bench/jsonl_splice_bench

#include "jsonl/limits.h"
#include "jsonl/scan.h"
#include "jsonl/splice.h"

#include <benchmark/benchmark.h>

#include <array>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <vector>

namespace holdfast::jsonl {
namespace {

constexpr std::size_t kDataBytes = 64 * 1024 * 1024;  // well beyond the caches
constexpr std::string_view kSession = "000000a5-0000-4000-8000-0000000000a5";

std::string words(std::mt19937& random, std::size_t size) {
  static constexpr std::array<std::string_view, 12> kPieces = {
      "the ",     "session ", "keeps ",     "return value;",       "\\n",       "\\n    ",
      "if (x) {", "\\\"",     "file_path ", "d\xC3\xA9j\xC3\xA0 ", "0x7ff\\t ", "/home/dev/work/demo/src/main.cpp "};
  std::string out;
  while (out.size() < size) out += kPieces[random() % kPieces.size()];
  return out;
}

std::string record(std::mt19937& random) {
  const std::string session = std::string(R"("sessionId":")") + std::string(kSession) + '"';
  if (random() % 5 == 0) return R"({"type":"last-prompt","leafUuid":"27293f9d-ea55-44ea-a384-1665d2686d61",)" + session + "}\n";
  const bool image = random() % 200 == 0;
  const std::string text = image ? std::string(100'000, 'A') : words(random, 200 + random() % 8000);
  return R"({"parentUuid":"27293f9d-ea55-44ea-a384-1665d2686d61","isSidechain":false,"type":"user","message":{"role":"user","content":[{)"
         R"("tool_use_id":"toolu_01b295b7c4f49bd0f2fb828c","type":"tool_result","content":")" +
         text +
         R"(","is_error":false}]},"uuid":"3feab756-01b4-4c92-80f5-d2488d612343","timestamp":"2026-11-15T03:06:52.366Z","toolUseResult":{"stdout":")" +
         words(random, random() % 600) +
         R"(","stderr":"","interrupted":false,"isImage":false},"userType":"external","entrypoint":"cli","cwd":"/home/dev/work/demo",)" +
         session + R"(,"version":"2.1.197","gitBranch":"main"})" + "\n";
}

const std::string& data() {
  static const std::string made = [] {
    std::mt19937 random(1);
    std::string out;
    while (out.size() < kDataBytes) out += record(random);
    return out;
  }();
  return made;
}

template <class Each>
void for_each_line(Each each) {
  const char* at = data().data();
  const char* const end = at + data().size();
  while (at < end) {
    const char* newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    each(std::string_view(at, static_cast<std::size_t>(newline - at)));
    at = newline + 1;
  }
}

// Of this process: others may be using the machine.
double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

template <class Work>
double bytes_per_second(Work work) {
  double best = 0;
  for (int i = 0; i < 3; ++i) {
    const double start = cpu_seconds();
    work();
    best = std::max(best, static_cast<double>(data().size()) / (cpu_seconds() - start));
  }
  return best;
}

struct Floors {
  double split = bytes_per_second([] {
    std::size_t lines = 0;
    for_each_line([&](std::string_view) { ++lines; });
    benchmark::DoNotOptimize(lines);
  });
  std::string target = std::string(data().size(), '\0');  // its pages are there before the clock starts
  double copy = bytes_per_second([this] {
    std::memcpy(target.data(), data().data(), target.size());
    benchmark::DoNotOptimize(target.data());
  });
};

void report(benchmark::State& state, double seconds) {
  static const Floors floors;
  const double rate = static_cast<double>(data().size()) * static_cast<double>(state.iterations()) / seconds;
  state.SetBytesProcessed(static_cast<std::int64_t>(data().size()) * state.iterations());
  state.counters["of_split"] = rate / floors.split;
  state.counters["of_memcpy"] = rate / floors.copy;
}

template <class Work>
void measure(benchmark::State& state, Work work) {
  data();
  const double start = cpu_seconds();
  for (auto _ : state) work();
  report(state, cpu_seconds() - start);
}

void shape(benchmark::State& state) {
  Scanner scanner;
  measure(state, [&] { for_each_line([&](std::string_view line) { benchmark::DoNotOptimize(scanner.shape(line)); }); });
}
BENCHMARK(shape)->Unit(benchmark::kMillisecond);

void four_fields(benchmark::State& state) {
  static constexpr std::array<std::string_view, 4> kNames = {"type", "sessionId", "timestamp", "cwd"};
  std::array<Token, 4> found;
  Scanner scanner;
  measure(state, [&] {
    for_each_line([&](std::string_view line) {
      scanner.fields(line, kNames, found);
      benchmark::DoNotOptimize(found);
    });
  });
}
BENCHMARK(four_fields)->Unit(benchmark::kMillisecond);

// Every line through a splicer into a buffer of the size that is written at once.
void splice_with(benchmark::State& state, SpliceRules rules) {
  Splicer splicer(std::move(rules));
  std::string out;
  measure(state, [&] {
    for_each_line([&](std::string_view line) {
      splicer.splice(line, out);
      out += '\n';
      if (out.size() < kWriteBytes) return;
      benchmark::DoNotOptimize(out.data());
      out.clear();
    });
  });
}

void splice_nothing(benchmark::State& state) {
  splice_with(state, {});
}
BENCHMARK(splice_nothing)->Unit(benchmark::kMillisecond);

void splice_one_value(benchmark::State& state) {
  SpliceRules rules;
  rules.replacements.push_back({"/sessionId", "0199c0de-0000-7000-8000-00000000beef"});
  splice_with(state, std::move(rules));
}
BENCHMARK(splice_one_value)->Unit(benchmark::kMillisecond);

// What a clone does: an id wherever it occurs in any string, paths by prefix, thinking left alone.
void splice_as_clone(benchmark::State& state) {
  SpliceRules rules;
  rules.decide = [](StringSite& site) {
    if (site.starts_with("/home/dev/work/demo/") || site.is("/home/dev/work/demo")) site.replace(0, 19, "/srv/moved");
    site.replace_each(kSession, "0199c0de-0000-7000-8000-00000000beef");
  };
  rules.untouched = {"/forkedFrom/**"};
  rules.untouched_objects = {{"type", "thinking"}, {"type", "redacted_thinking"}};
  splice_with(state, std::move(rules));
}
BENCHMARK(splice_as_clone)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace holdfast::jsonl

BENCHMARK_MAIN();
