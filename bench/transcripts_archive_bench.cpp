// How fast a session becomes an archive and comes back, beside the floors in the same run: zstd alone, with the same level and
// threads, over the same bytes; writing them to a file; and decompressing them. `of_zstd`, `of_write` and `of_unpack` are the
// ratios, `peak_mb` the most memory this process ever had. Wall time, because both cores work.
//
//   build/release/bench/transcripts_archive_bench            HOLDFAST_BENCH_MB=720 for a large session,
//                                                            HOLDFAST_BENCH_LINE_MB=64 for one of a single line

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/files/zstd.h"
#include "kinds/transcripts/archive/archive_reader.h"
#include "kinds/transcripts/archive/archive_writer.h"
#include "kinds/transcripts/source/session_source.h"

#include <benchmark/benchmark.h>

#include <fcntl.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>

namespace holdfast::transcripts {
namespace {

const std::string kId = "000000a5-0000-4000-8000-0000000000a5";

std::size_t session_bytes() {
  const char* asked = std::getenv("HOLDFAST_BENCH_MB");
  return (asked ? std::strtoul(asked, nullptr, 10) : 72) * 1'000'000;
}

// Prose and code of a small vocabulary: compresses about as well as real transcripts do, seven to one.
std::string words(std::mt19937& random, std::size_t size) {
  static const std::vector<std::string> kVocabulary = [] {
    std::mt19937 letters(3);
    std::vector<std::string> made;
    for (int i = 0; i < 3000; ++i) {
      std::string word;
      for (std::size_t length = 2 + letters() % 9; length > 0; --length) word += static_cast<char>('a' + letters() % 26);
      made.push_back(word + (letters() % 12 == 0 ? "\\n    " : letters() % 9 == 0 ? "(); " : " "));
    }
    return made;
  }();
  std::string out;
  while (out.size() < size) {
    const std::size_t common = random() % kVocabulary.size() * (random() % 100) / 100;
    out += kVocabulary[common];
  }
  return out;
}

std::string record(std::mt19937& random) {
  const std::string session = R"("sessionId":")" + kId + '"';
  if (random() % 5 == 0) return R"({"type":"last-prompt","leafUuid":"27293f9d-ea55-44ea-a384-1665d2686d61",)" + session + "}\n";
  return R"({"parentUuid":"27293f9d-ea55-44ea-a384-1665d2686d61","isSidechain":false,"type":"user","message":{"role":"user","content":[{)"
         R"("tool_use_id":"toolu_01b295b7c4f49bd0f2fb828c","type":"tool_result","content":")" +
         words(random, 100 + random() % 1200) +
         R"(","is_error":false}]},"uuid":"3feab756-01b4-4c92-80f5-d2488d612343","timestamp":"2026-11-15T03:06:52.366Z",)" +
         session + R"(,"version":"2.1.197","gitBranch":"main"})" + "\n";
}

// A home with one session, an archive of it in both formats, and the bytes of its transcript in a file.
struct Data {
  TestFolder folder;
  SessionPlace place{kId, "-home-dev-work-demo"};
  std::size_t size = 0;
  Home home = *Home::open(folder / "home");
  Inventory inventory;

  Data() {
    std::filesystem::create_directories(folder / "home/projects/-home-dev-work-demo");
    std::ofstream out(folder / ("home/" + place.transcript()), std::ios::binary);
    const auto put = [&](const std::string& text) {
      out << text;
      size += text.size();
    };
    std::mt19937 random(1);
    if (const char* line = std::getenv("HOLDFAST_BENCH_LINE_MB")) {
      const std::string block = words(random, 1'048'576);
      put(R"({"line":")");
      while (size < std::strtoul(line, nullptr, 10) * 1'048'576) put(block);
      put("\"}\n");
    } else {
      while (size < session_bytes()) put(record(random));
    }
    out.close();
    home = *Home::open(folder / "home");
    inventory = *take_inventory(home, place);
    for (const ArchiveFormat format : {ArchiveFormat::json, ArchiveFormat::zst}) write(format, archive(format));
  }

  std::string archive(ArchiveFormat format) const {
    return folder / (format == ArchiveFormat::json ? "kept.json" : "kept.json.zst");
  }
  std::string transcript() const { return folder / ("home/" + place.transcript()); }
  bool write(ArchiveFormat format, const std::string& path) const {
    ArchiveOptions options;
    options.format = format;
    return write_archive(*source_on_disk(home, place), inventory, "/home/dev/work/demo", path, options).has_value();
  }
};

const Data& data() {
  static const Data made;
  return made;
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The same bytes through the library alone, read from the file in the same pieces.
void compress_alone() {
  const Fd in(::open(data().transcript().c_str(), O_RDONLY | O_CLOEXEC));
  auto writer = ZstdWriter::make(data().size,
                                 [](std::string_view bytes) -> Result<void> {
                                   benchmark::DoNotOptimize(bytes.data());
                                   return {};
                                 },
                                 {});
  std::string buffer(256 * 1024, '\0');
  for (ssize_t got = 0; (got = ::read(in.get(), buffer.data(), buffer.size())) > 0;)
    static_cast<void>(writer->write({buffer.data(), static_cast<std::size_t>(got)}));
  static_cast<void>(writer->finish());
}

void unpack_alone() {
  const Fd in(::open(data().archive(ArchiveFormat::zst).c_str(), O_RDONLY | O_CLOEXEC));
  auto reader = ZstdReader::make(
      [&](char* to, std::size_t room) -> Result<std::size_t> { return static_cast<std::size_t>(::read(in.get(), to, room)); });
  std::string buffer(256 * 1024, '\0');
  while (*reader->read(buffer.data(), buffer.size()) > 0) benchmark::DoNotOptimize(buffer.data());
}

// What `cp` and a sync do.
void copy_file() {
  const Fd in(::open(data().transcript().c_str(), O_RDONLY | O_CLOEXEC));
  const std::string path = data().folder / "copy";
  {
    const Fd out(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    std::string buffer(256 * 1024, '\0');
    for (ssize_t got = 0; (got = ::read(in.get(), buffer.data(), buffer.size())) > 0;)
      static_cast<void>(write_all(out.get(), {buffer.data(), static_cast<std::size_t>(got)}));
    ::fsync(out.get());
  }
  ::unlink(path.c_str());
}

void measure(benchmark::State& state, const char* ratio, const std::function<void()>& floor, const std::function<void()>& work) {
  data();
  double floor_seconds = 1e9, seconds = 0;
  for (int i = 0; i < 2; ++i) floor_seconds = std::min(floor_seconds, seconds_of(floor));
  for (auto _ : state) {
    const double took = seconds_of(work);
    seconds += took;
    state.SetIterationTime(took);
  }
  struct rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  state.SetBytesProcessed(static_cast<std::int64_t>(data().size) * state.iterations());
  state.counters[ratio] = floor_seconds * static_cast<double>(state.iterations()) / seconds;
  state.counters["peak_mb"] = static_cast<double>(usage.ru_maxrss) / 1000;
}

void archive_zst(benchmark::State& state) {
  measure(state, "of_zstd", compress_alone, [&] {
    const std::string path = data().folder / "new.json.zst";
    if (!data().write(ArchiveFormat::zst, path)) state.SkipWithError("not written");
    ::unlink(path.c_str());
  });
}
BENCHMARK(archive_zst)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseManualTime();

void archive_json(benchmark::State& state) {
  measure(state, "of_write", copy_file, [&] {
    const std::string path = data().folder / "new.json";
    if (!data().write(ArchiveFormat::json, path)) state.SkipWithError("not written");
    ::unlink(path.c_str());
  });
}
BENCHMARK(archive_json)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseManualTime();

class Ignore final : public Receiver {
 public:
  Result<void> begin(const Artifact&) override { return {}; }
  Result<void> line(const Piece& piece) override {
    benchmark::DoNotOptimize(piece.text.data());
    return {};
  }
  Result<void> bytes(std::string_view) override { return {}; }
  Result<void> end() override { return {}; }
};

void read_back(benchmark::State& state, ArchiveFormat format) {
  measure(state, "of_unpack", unpack_alone, [&] {
    auto reader = ArchiveReader::open(Fd(::open(data().archive(format).c_str(), O_RDONLY | O_CLOEXEC)));
    Ignore ignore;
    if (!reader || !reader->read(ignore)) state.SkipWithError("not read");
  });
}
BENCHMARK_CAPTURE(read_back, zst, ArchiveFormat::zst)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseManualTime();
BENCHMARK_CAPTURE(read_back, json, ArchiveFormat::json)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseManualTime();

}  // namespace
}  // namespace holdfast::transcripts

BENCHMARK_MAIN();
