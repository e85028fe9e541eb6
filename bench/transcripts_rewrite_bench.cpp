// How fast a transcript is rewritten on its way into a copy, beside the floors in the same run: copying the bytes, and copying
// them line by line. Two shapes of data: `sparse` as long sessions are (720 bytes a record, as the 72 MB session with 100,001
// records), `dense` with long tool output and images.
//
//   build/release/bench/transcripts_rewrite_bench

#include "kinds/transcripts/rewrite/rewrite.h"

#include <benchmark/benchmark.h>

#include <array>
#include <cstring>
#include <random>

namespace holdfast::transcripts {
namespace {

constexpr std::size_t kDataBytes = 72'000'000;
constexpr std::size_t kWriteBytes = 256 * 1024;  // what is gathered before it is written
const std::string kOld = "000000a5-0000-4000-8000-0000000000a5";
const std::string kNew = "0199c0de-1111-7222-8333-44445555beef";

std::string words(std::mt19937& random, std::size_t size) {
  static constexpr std::array<std::string_view, 12> kPieces = {
      "the ",     "session ", "keeps ",     "return value;",       "\\n",       "\\n    ",
      "if (x) {", "\\\"",     "file_path ", "d\xC3\xA9j\xC3\xA0 ", "0x7ff\\t ", "/home/dev/work/demo/src/main.cpp "};
  std::string out;
  while (out.size() < size) out += kPieces[random() % kPieces.size()];
  return out;
}

std::string record(std::mt19937& random, bool dense) {
  const std::string tail = R"(,"userType":"external","entrypoint":"cli","cwd":"/home/dev/work/demo","sessionId":")" + kOld +
                           R"(","version":"2.1.197","gitBranch":"main","slug":"plan-something-curious-russell"})" + "\n";
  const std::string head =
      R"({"parentUuid":"27293f9d-ea55-44ea-a384-1665d2686d61","isSidechain":false,"type":"user","message":{"role":"user","content":)";
  const std::string stamp = R"(,"uuid":"3feab756-01b4-4c92-80f5-d2488d612343","timestamp":"2026-11-15T03:06:52.366Z")";
  const auto kind = random() % 10;
  if (kind < 2)
    return R"({"type":"last-prompt","leafUuid":"27293f9d-ea55-44ea-a384-1665d2686d61","sessionId":")" + kOld + "\"}\n";
  if (kind < 5)
    return head + R"([{"type":"tool_use","id":"toolu_01b295b7c4f49bd0f2fb828c","name":"Read","input":{"file_path":")" +
           "/home/dev/work/demo/src/main.cpp\"}}]" +
           R"(,"usage":{"input_tokens":1000,"cache_read_input_tokens":0,"output_tokens":50,"service_tier":"standard"}})" + stamp +
           tail;
  const bool image = dense && random() % 200 == 0;
  const std::string text =
      image ? std::string(100'000, 'A') : words(random, dense ? 200 + random() % 8000 : 100 + random() % 500);
  return head + R"([{"tool_use_id":"toolu_01b295b7c4f49bd0f2fb828c","type":"tool_result","content":")" + text + "\"}]}" + stamp +
         R"(,"toolUseResult":{"stdout":")" + words(random, random() % 200) + R"(","interrupted":false})" + tail;
}

const std::string& data(bool dense) {
  static const std::array<std::string, 2> made = [] {
    std::array<std::string, 2> out;
    for (const bool long_ones : {false, true}) {
      std::mt19937 random(1);
      while (out[long_ones].size() < kDataBytes) out[long_ones] += record(random, long_ones);
    }
    return out;
  }();
  return made[dense];
}

template <class Each>
void for_each_line(std::string_view text, Each each) {
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    each(text.substr(0, newline));
    text.remove_prefix(newline + 1);
  }
}

void copy_bytes(benchmark::State& state) {
  const std::string& from = data(state.range(0) != 0);
  std::string to(from.size(), '\0');
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::DoNotOptimize(to.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(from.size()) * state.iterations());
}
BENCHMARK(copy_bytes)->ArgName("dense")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void copy_lines(benchmark::State& state) {
  const std::string& from = data(state.range(0) != 0);
  std::string out;
  for (auto _ : state) {
    for_each_line(from, [&](std::string_view line) {
      out += line;
      out += '\n';
      if (out.size() < kWriteBytes) return;
      benchmark::DoNotOptimize(out.data());
      out.clear();
    });
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(from.size()) * state.iterations());
}
BENCHMARK(copy_lines)->ArgName("dense")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void rewrite(benchmark::State& state, bool same_project, bool fresh_uuids, PathLevel level) {
  const std::string& from = data(state.range(0) != 0);
  Identity identity = identity_of_copy({kOld, "-home-dev-work-demo"}, kNew, same_project ? "-home-dev-work-demo" : "-srv-moved",
                                       {}, {"plan-something-curious-russell"});
  identity.fresh_uuids = fresh_uuids;
  PathMap paths;
  if (!same_project) paths.add("/home/dev/work/demo", "/srv/moved");
  RewriteOptions options;
  options.level = level;
  Artifact artifact;
  artifact.kind = ArtifactKind::main_transcript;
  std::string out;
  for (auto _ : state) {
    Rewriter rewriter(identity, paths, options);
    rewriter.begin(artifact);
    bool good = true;
    for_each_line(from, [&](std::string_view line) {
      good &= rewriter.line(line, "\n", false, out).has_value();
      if (out.size() < kWriteBytes) return;
      benchmark::DoNotOptimize(out.data());
      out.clear();
    });
    if (!good || !rewriter.end(out)) state.SkipWithError("it failed");
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(from.size()) * state.iterations());
}
BENCHMARK_CAPTURE(rewrite, clone, true, false, PathLevel::fields)
    ->ArgName("dense")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rewrite, clone_to_other_project, false, false, PathLevel::fields)
    ->ArgName("dense")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rewrite, paths_in_text_too, false, false, PathLevel::all)
    ->ArgName("dense")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rewrite, fresh_uuids, true, true, PathLevel::fields)
    ->ArgName("dense")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace holdfast::transcripts

BENCHMARK_MAIN();
