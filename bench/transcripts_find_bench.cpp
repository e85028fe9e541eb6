// How long it takes to find things in a large home: 3,000 sessions in 300 projects (transcript-archive §14), and how fast a
// transcript is searched for slugs, beside the floor of reading the same file.
//
//   build/release/bench/transcripts_find_bench

#include "base/files/test_folder.h"
#include "jsonl/limits.h"
#include "kinds/transcripts/home/summary.h"
#include "kinds/transcripts/products/claude/current.h"
#include "kinds/transcripts/products/claude/slugs.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>

namespace holdfast::transcripts {
namespace {

constexpr int kProjects = 300, kSessionsEach = 10;
constexpr std::size_t kTranscriptBytes = 256 * 1024 * 1024;

std::string id_of(int project, int session) {
  return fmt::format("{:08x}-0000-4000-8000-{:012x}", project * 7919 + session, project * 100 + session);
}

std::string record(const std::string& more) {
  return R"({"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"how is \"it\" going?"},)"
         R"("uuid":"3feab756-01b4-4c92-80f5-d2488d612343","timestamp":"2026-11-15T03:06:52.366Z","cwd":"/home/dev/work","version":"2.1.197")" +
         more + "}\n";
}

const Home& large_home() {
  static const TestFolder folder;
  static const Home home = [] {
    for (int project = 0; project < kProjects; ++project) {
      const std::string path = folder / fmt::format("projects/-home-dev-p{}", project);
      std::filesystem::create_directories(path);
      for (int session = 0; session < kSessionsEach; ++session)
        std::ofstream(path + "/" + id_of(project, session) + ".jsonl") << record("") << record("");
    }
    return *Home::open(folder.path());
  }();
  return home;
}

void find_by_id(benchmark::State& state) {
  const Home& home = large_home();
  const std::string id = id_of(150, 5);
  for (auto _ : state) benchmark::DoNotOptimize(find_session(home, id).value());
}
BENCHMARK(find_by_id)->Unit(benchmark::kMillisecond);

// What a list of one page needs of a home.
void list_newest_50(benchmark::State& state) {
  const Home& home = large_home();
  for (auto _ : state) {
    auto sessions = all_sessions(home).value();
    std::ranges::partial_sort(sessions, sessions.begin() + 50, std::greater(), &FoundSession::mtime);
    for (std::size_t i = 0; i < 50; ++i) benchmark::DoNotOptimize(summarise(home, sessions[i]).value());
  }
}
BENCHMARK(list_newest_50)->Unit(benchmark::kMillisecond);

void look_for_a_tool_use_everywhere(benchmark::State& state) {
  const Home& home = large_home();
  for (auto _ : state) benchmark::DoNotOptimize(ToolUseSearch(home, "toolu_none", "").look().value());
}
BENCHMARK(look_for_a_tool_use_everywhere)->Unit(benchmark::kMillisecond);

Fd transcript(const std::string& more) {
  const TestFolder folder;
  std::string text;
  while (text.size() < kTranscriptBytes / 64) text += record(R"(,"text":")" + std::string(text.size() % 4000, 'x') + '"' + more);
  std::ofstream out(folder / "t", std::ios::binary);
  for (int i = 0; i < 64; ++i) out << text;
  out.close();
  return Fd(::open((folder / "t").c_str(), O_RDONLY | O_CLOEXEC));
}

std::uint64_t size_of(const Fd& fd) {
  return static_cast<std::uint64_t>(::lseek(fd.get(), 0, SEEK_END));
}

void just_read(benchmark::State& state) {
  const Fd fd = transcript("");
  const auto buffer = std::make_unique<char[]>(jsonl::kReadBytes);
  for (auto _ : state)
    for (off_t at = 0; ::pread(fd.get(), buffer.get(), jsonl::kReadBytes, at) > 0;) at += jsonl::kReadBytes;
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(size_of(fd)));
}
BENCHMARK(just_read)->Unit(benchmark::kMillisecond);

void search_slugs(benchmark::State& state, const char* more) {
  const Fd fd = transcript(more);
  for (auto _ : state) {
    Slugs slugs;
    benchmark::DoNotOptimize(collect_slugs(fd.get(), size_of(fd), slugs));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(size_of(fd)));
}
BENCHMARK_CAPTURE(search_slugs, none, "")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search_slugs, the_same_in_every_record, R"(,"slug":"a-plan")")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search_slugs, odd_spelling_in_every_record, R"(,"slug": "a-plan")")->Unit(benchmark::kMillisecond);

void summarise_all_of_it(benchmark::State& state) {
  const TestFolder folder;
  const FoundSession session{{id_of(1, 1), "-home-dev-work"}, 0, 0};
  std::filesystem::create_directories(folder / "projects/-home-dev-work");
  std::string text;
  while (text.size() < kTranscriptBytes) text += record(R"(,"text":")" + std::string(text.size() % 4000, 'x') + '"');
  std::ofstream(folder / session.place.transcript(), std::ios::binary) << text;
  const Home home = *Home::open(folder.path());
  for (auto _ : state) benchmark::DoNotOptimize(summarise_whole(home, session).value());
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(summarise_all_of_it)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace holdfast::transcripts
