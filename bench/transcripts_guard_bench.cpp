// The guard over generated Claude Code homes, one without repeats and one with forks and clones: how fast all is kept and with
// how much memory, what it takes on the disk, what a second pass and an appended line cost, how fast it is verified and read.
//
//   build/release/bench/transcripts_guard_bench [--mb=1000] [--home=FOLDER]
//
// A home given is used as it is, a real one too. Every part runs in a process of its own, so that its memory and its time of the
// processor are its own. The floor beside it is zstd alone, one thread, at the guard's level and frame size.

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/files/zstd_block.h"
#include "generated_transcripts.h"
#include "kinds/transcripts/guard/guard.h"
#include "store/blobs/frame_writer.h"
#include "store/blobs/open.h"

#include <fmt/format.h>

#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <random>

namespace holdfast::bench {
namespace {

using Steady = std::chrono::steady_clock;
using transcripts::Guard;
using transcripts::Homes;

constexpr int kAppends = 200, kReads = 500;
constexpr std::size_t kReadBytes = 64 * 1024;

double seconds_since(Steady::time_point begin) {
  return std::chrono::duration<double>(Steady::now() - begin).count();
}
double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}
double megabytes(std::uint64_t bytes) {
  return static_cast<double>(bytes) / 1e6;
}

// In a child; its peak of memory is told behind what it printed.
void apart(const std::function<void()>& work) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    std::fflush(stdout);
    ::_exit(0);
  }
  rusage usage{};
  ::wait4(child, nullptr, 0, &usage);
  fmt::print("  {:.2f} s of the processor, peak {} MB\n", seconds(usage.ru_utime) + seconds(usage.ru_stime),
             usage.ru_maxrss / 1024);
}

double percentile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

void measure_floor(const Homes& homes) {
  std::uint64_t raw = 0, packed = 0;
  ZstdPacker packer(store::kFrameLevel);
  const auto begin = Steady::now();
  const auto sessions = transcripts::all_sessions(homes.claude).value();
  for (const auto& session : sessions) {
    const std::string bytes = read_file(homes.claude.absolute(session.place.transcript()), 1 << 30).value();
    for (std::size_t at = 0; at < bytes.size(); at += store::kFrameBytes) {
      packed += packer.pack(std::string_view(bytes).substr(at, store::kFrameBytes)).value().size();
    }
    raw += bytes.size();
    if (raw > 200'000'000) break;
  }
  fmt::print("zstd alone, one thread: {:.0f} MB/s, {:.1f} %\n", megabytes(raw) / seconds_since(begin),
             100.0 * static_cast<double>(packed) / static_cast<double>(raw));
}

void measure_keeping(const Homes& homes, const std::string& folder) {
  auto blobs = store::open_blobs(folder).value();
  const auto begin = Steady::now();
  const auto report = Guard(homes, *blobs).keep_all().value();
  const double took = seconds_since(begin);
  blobs = store::open_blobs(folder).value();  // what stays on the disk, without the catalogue's log
  const auto state = blobs->state().value();
  fmt::print("keep all: {} files, {:.0f} MB in {:.2f} s, {:.0f} MB/s; stored {:.1f} MB, {:.1f} %; {:.0f} MB not known before\n",
             report.files, megabytes(report.bytes_read), took, megabytes(report.bytes_read) / took, megabytes(state.stored_bytes),
             100.0 * static_cast<double>(state.stored_bytes) / static_cast<double>(state.bytes), megabytes(report.bytes_new));
}

void measure_nothing_new(const Homes& homes, const std::string& folder) {
  const auto blobs = store::open_blobs(folder).value();
  const auto begin = Steady::now();
  const auto report = Guard(homes, *blobs).keep_all().value();
  fmt::print("nothing new: {} files looked at in {:.0f} ms\n", report.files, 1e3 * seconds_since(begin));
}

void measure_appends(const Homes& homes, const std::string& folder) {
  const auto blobs = store::open_blobs(folder).value();
  Guard guard(homes, *blobs);
  auto sessions = transcripts::all_sessions(homes.claude).value();
  const auto largest = std::ranges::max(sessions, {}, &transcripts::FoundSession::size);
  const transcripts::GuardedFile file{transcripts::Product::claude, largest.place.transcript()};
  std::vector<double> times;
  std::uint64_t read = 0, stored = 0;
  std::mt19937_64 random(1);
  for (int i = 0; i < kAppends; ++i) {
    std::string words;
    for (int word = 0; word < 80; ++word) words += fmt::format("{:x} ", random() % 100'000);
    std::ofstream(homes.claude.absolute(file.path), std::ios::app)
        << fmt::format(R"({{"type":"user","uuid":"{:016x}","message":{{"content":"{}"}}}})", random(), words) << "\n";
    const auto begin = Steady::now();
    const auto report = guard.keep_files({&file, 1}).value();
    times.push_back(1e3 * seconds_since(begin));
    read += report.bytes_read;
    stored += report.bytes_stored;
  }
  fmt::print(
      "an appended line of 500 bytes in a file of {:.0f} MB, durable: p50 {:.1f} ms, p99 {:.1f} ms; {:.1f} kB read, {:.2f} kB "
      "stored\n",
      megabytes(largest.size), percentile(times, 0.5), percentile(times, 0.99), static_cast<double>(read) / 1e3 / kAppends,
      static_cast<double>(stored) / 1e3 / kAppends);
}

void measure_verify(const std::string& folder) {
  const auto blobs = store::open_blobs(folder).value();
  const auto begin = Steady::now();
  const auto check = blobs->verify({}).value();
  const double took = seconds_since(begin);
  fmt::print("verify: {:.0f} MB unpacked and hashed in {:.2f} s, {:.0f} MB/s; {} problems\n", megabytes(check.bytes), took,
             megabytes(check.bytes) / took, check.problems.size());
}

void measure_reads(const std::string& folder) {
  const auto blobs = store::open_blobs(folder).value();
  const auto files = blobs->files("claude:projects/").value();
  std::mt19937_64 random(1);
  std::string piece(kReadBytes, '\0');
  std::vector<double> times;
  for (int i = 0; i < kReads; ++i) {
    const auto& file = files[random() % files.size()];
    const std::uint64_t offset = file.size > kReadBytes ? random() % (file.size - kReadBytes) : 0;
    const auto begin = Steady::now();
    static_cast<void>(blobs->read(file, offset, piece).value());
    times.push_back(1e3 * seconds_since(begin));
  }
  fmt::print("64 KiB of anywhere: p50 {:.2f} ms, p99 {:.2f} ms\n", percentile(times, 0.5), percentile(times, 0.99));
}

void measure(const std::string& name, const std::string& home) {
  fmt::print("\n{}\n", name);
  const TestFolder temporary;
  const std::string folder = temporary / "guard";
  const Homes homes = Homes::open(home, temporary / "no-codex").value();
  apart([&] { measure_floor(homes); });
  apart([&] { measure_keeping(homes, folder); });
  apart([&] { measure_nothing_new(homes, folder); });
  apart([&] { measure_verify(folder); });
  apart([&] { measure_reads(folder); });
  apart([&] { measure_appends(homes, folder); });
}

int run(int count, char** words) {
  std::uint64_t megabytes_wanted = 1000;
  std::string home;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word.starts_with("--mb=")) megabytes_wanted = std::strtoull(words[i] + 5, nullptr, 10);
    if (word.starts_with("--home=")) home = word.substr(7);
    // scripts/bench --quick asks for short rounds this way.
    if (word.starts_with("--benchmark_min_time=")) megabytes_wanted = std::strtod(words[i] + 21, nullptr) < 0.1 ? 100 : 1000;
  }
  if (!home.empty()) {
    measure(home, home);
    return 0;
  }
  for (const bool repeats : {false, true}) {
    const TestFolder made;
    HomePlan plan;
    plan.bytes = megabytes_wanted * 1'000'000;
    if (repeats) plan.forks = plan.clones = 0.33;
    if (!write_home(made / "home", plan)) return 1;
    measure(repeats ? "a home of which every third session is a fork and every third a clone" : "a home without repeats",
            made / "home");
  }
  return 0;
}

}  // namespace
}  // namespace holdfast::bench

int main(int count, char** words) {
  return holdfast::bench::run(count, words);
}
