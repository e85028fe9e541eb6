// How fast sessions are opened to be read: the first window of 200 MB (real record shapes, and the worst case of 10^6 small
// records), windows of one that is known, a single line of 64 MiB, and whole exports. `peak_MB` is the memory of the whole
// process so far, so that of the first benchmarks is the honest one.
//
//   build/release/bench/transcripts_reading_bench

#include "base/files/test_folder.h"
#include "generated_text.h"
#include "kinds/transcripts/reading/transcript_reading.h"
#include "reading/export.h"
#include "reading/html/html_turns.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace holdfast::transcripts {
namespace {

constexpr std::uint64_t kSessionBytes = 200 * 1024 * 1024;

enum class Shape { real, small, one_line };

std::string id_of(Shape shape) {
  return fmt::format("0badcafe-0000-4000-8000-{:012}", static_cast<int>(shape));
}

std::string uuid(std::uint64_t number) {
  return fmt::format("aaaaaaaa-0000-4000-8000-{:012}", number);
}

class Writer {
 public:
  explicit Writer(const std::string& path) : out_(path, std::ios::binary) {}

  void record(std::string_view type, std::string_view message, std::string_view more = {}) {
    const std::string parent = number_ == 0 ? "null" : fmt::format("\"{}\"", uuid(number_));
    const std::string line = fmt::format(
        R"({{"parentUuid":{},"isSidechain":false,"type":"{}","message":{},"uuid":"{}","timestamp":"2026-11-15T03:06:52.366Z","userType":"external","cwd":"/home/dev/work/demo","sessionId":"0badcafe","version":"2.1.197","gitBranch":"main"{}}})",
        parent, type, message, uuid(number_ + 1), more);
    ++number_;
    written_ += line.size() + 1;
    out_ << line << "\n";
  }
  // In pieces: the memory of the writer must not be taken for that of the reader.
  void long_record(std::size_t kibibytes) {
    out_ << R"({"parentUuid":")" << uuid(number_) << R"(","message":{"content":[{"type":"tool_result","content":")";
    for (std::size_t i = 0; i < kibibytes; ++i) out_ << std::string(1024, 'x');
    out_ << R"("}]},"type":"user","uuid":")" << uuid(++number_) << "\"}\n";
  }
  std::string words(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += bench::word_of(bench::random_rank(numbers_)) + (i % 12 == 11 ? "\\n" : " ");
    return text;
  }
  std::uint64_t written() const { return written_; }
  std::uint64_t number() const { return number_; }

 private:
  std::ofstream out_;
  bench::Numbers numbers_{42};
  std::uint64_t number_ = 0, written_ = 0;
};

void write_real(Writer& out) {
  while (out.written() < kSessionBytes) {
    const std::uint64_t turn = out.number();
    out.record("user", fmt::format(R"({{"role":"user","content":"{}"}})", out.words(40)));
    out.record(
        "assistant",
        fmt::format(R"({{"id":"m{}","model":"claude","content":[{{"type":"thinking","thinking":"{}","signature":"c2ln"}}]}})",
                    turn, out.words(120)));
    out.record(
        "assistant",
        fmt::format(
            R"({{"id":"m{}","model":"claude","content":[{{"type":"tool_use","id":"t{}","name":"Bash","input":{{"command":"ls"}}}}]}})",
            turn, turn));
    const std::string output = out.words(300);
    out.record(
        "user",
        fmt::format(R"({{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{}","content":"{}"}}]}})", turn, output),
        fmt::format(R"(,"toolUseResult":{{"stdout":"{}","stderr":""}})", output));
    out.record("assistant", fmt::format(R"({{"id":"n{}","model":"claude","content":[{{"type":"text","text":"**{}**"}}]}})", turn,
                                        out.words(150)));
  }
}

const Homes& homes() {
  static const TestFolder folder;
  static const Homes made = [] {
    std::filesystem::create_directories(folder / "claude/projects/-home-dev-work-demo");
    const auto path = [](Shape shape) { return folder / ("claude/projects/-home-dev-work-demo/" + id_of(shape) + ".jsonl"); };
    Writer real(path(Shape::real));
    write_real(real);
    Writer small(path(Shape::small));
    for (int i = 0; i < 1'000'000; ++i) small.record(i % 2 == 0 ? "user" : "assistant", R"({"id":"m","content":"x"})");
    Writer line(path(Shape::one_line));
    line.record("user", R"({"role":"user","content":"before"})");
    line.long_record(64 * 1024);
    line.record("assistant", R"({"id":"m","content":"after"})");
    return Homes::open(folder / "claude", folder / "codex").value();
  }();
  return made;
}

void count(benchmark::State& state) {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  state.counters["peak_MB"] = static_cast<double>(used.ru_maxrss) / 1024;
}

std::string html_of(reading::Reading& reading, const reading::WindowQuery& query) {
  const auto window = reading.window(query).value();
  reading::Html html;
  for (const reading::Turn& turn : window.turns) write_turn(html, turn, {});
  return std::move(html).finish();
}

void first_window(benchmark::State& state) {
  const Homes& home = homes();
  const auto session = home.find(id_of(static_cast<Shape>(state.range(0)))).value();
  for (auto _ : state) {
    ReadingCache cache;
    auto reading = open_transcript(source_on_disk(home.of(session), session), {}, &cache).value();
    benchmark::DoNotOptimize(html_of(*reading, {}));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(session.size()));
  count(state);
}
BENCHMARK(first_window)->Arg(0)->Arg(1)->Arg(2)->ArgName("shape")->Unit(benchmark::kMillisecond);

void window_in_the_middle(benchmark::State& state) {
  const Homes& home = homes();
  const auto session = home.find(id_of(static_cast<Shape>(state.range(0)))).value();
  ReadingCache cache;
  auto warm = open_transcript(source_on_disk(home.of(session), session), {}, &cache).value();
  reading::WindowQuery query;
  query.from = warm->window({}).value().last_line / 2;
  for (auto _ : state) {
    auto reading = open_transcript(source_on_disk(home.of(session), session), {}, &cache).value();
    benchmark::DoNotOptimize(html_of(*reading, query));
  }
  count(state);
}
BENCHMARK(window_in_the_middle)->Arg(0)->Arg(1)->ArgName("shape")->Unit(benchmark::kMillisecond);

void export_whole(benchmark::State& state) {
  const Homes& home = homes();
  const auto session = home.find(id_of(Shape::real)).value();
  reading::ExportOptions options;
  options.format = static_cast<reading::ExportFormat>(state.range(0));
  for (auto _ : state) {
    auto reading = open_transcript(source_on_disk(home.of(session), session), {}, nullptr).value();
    benchmark::DoNotOptimize(export_session(*reading, options, [](std::string_view) { return Result<void>(); }).value());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(session.size()));
  count(state);
}
BENCHMARK(export_whole)->Arg(0)->Arg(1)->Arg(2)->ArgName("format")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace holdfast::transcripts
