// grep and glob beside ripgrep, on one generated tree of 100 MB, in turns: ours inside of a running program, as a server answers
// a call; ripgrep as the whole process it is. Then search and links of the same tree.
//
//   build/release/bench/documents_find_bench
//
// Counters: medians of both in milliseconds, our share of theirs (below 1 is faster), and the peak memory of both in MB. Both
// must find the same number of lines, or the benchmark fails.

#include "base/files/test_folder.h"
#include "generated_text.h"
#include "kinds/documents/find/glob.h"
#include "kinds/documents/find/grep.h"
#include "kinds/documents/find/search_index.h"
#include "kinds/documents/links/links.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

extern char** environ;

namespace holdfast::documents {
namespace {

// Many small files, some large; a fifth of what lies there is ignored.
struct Size {
  int files;
  std::size_t bytes;
};
constexpr Size kSizes[] = {{3000, 8'000}, {300, 100'000}, {10, 4'600'000}};
constexpr int kIgnoredFiles = 300;
constexpr std::size_t kIgnoredBytes = 70'000;
constexpr int kRounds = 9;

std::string document(std::uint64_t number, std::size_t bytes) {
  bench::Numbers numbers(number);
  std::string text = fmt::format("# Document {}\n\n", number);
  while (text.size() < bytes) {
    const std::uint64_t kind = numbers.next() % 400;
    text += bench::word_of(bench::random_rank(numbers));
    if (kind == 0) text += fmt::format(" see [[f{}]]", numbers.next() % 3000);
    if (kind == 1) text += " Größe";
    if (kind == 2 && number % 50 == 0) text += " {--old--}{++new++}";
    const std::uint64_t end = numbers.next() % 60;
    text += end == 0 ? ".\n\n" : end < 5 ? ".\n" : end < 9 ? ", " : " ";
  }
  if (number % 100 == 7) text += "The walrus_needle is in here.\n";
  return text + "\n";
}

class Tree {
 public:
  Tree() {
    // In a process of its own: the peak memory of a child counts from that of its parent.
    const pid_t child = ::fork();
    if (child == 0) {
      generate();
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    LibrarySettings settings;
    settings.folders = {{"tree", root(), false}};
    settings.state_folder = folder_ / "state";
    library_ = Library::open(settings).value();
  }
  std::string root() const { return folder_ / "tree"; }
  Library& library() const { return *library_; }

 private:
  void generate() const {
    std::uint64_t number = 0;
    for (const Size& size : kSizes)
      for (int i = 0; i < size.files; ++i, ++number)
        write(fmt::format("{}/{}/f{}.md", number % 20, number % 7, number), document(number, size.bytes));
    for (int i = 0; i < kIgnoredFiles; ++i) write(fmt::format("{}/build/i{}.md", i % 20, i), document(1'000'000, kIgnoredBytes));
    std::ofstream(root() + "/.gitignore") << "build/\n*.log\n";
    std::ofstream(root() + "/3/.gitignore") << "*.tmp\n";
  }

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path whole = root() + "/" + path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole, std::ios::binary) << text;
    std::filesystem::last_write_time(whole, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  }
  TestFolder folder_;
  std::unique_ptr<Library> library_;
};

const Tree& tree() {
  static const Tree made;
  return made;
}

struct NoProposals final : Overlay {
  std::optional<std::string> proposed(std::string_view, std::string_view) const override { return std::nullopt; }
  bool may_propose(std::string_view) const override { return false; }
};

struct Run {
  double ms = 0, cpu_ms = 0, peak_mb = 0;
  std::size_t lines = 0;
};

double cpu_ms(const rusage& usage) {
  const auto ms = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

rusage own_usage() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage;
}

std::size_t count_lines(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

double ms_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
}

// From before it starts to after it ended, its output read.
Run run_ripgrep(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"rg", "--no-config", "--no-require-git", "--color=never"});
  arguments.push_back(tree().root());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  Run run;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return run;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  const auto begun = std::chrono::steady_clock::now();
  pid_t pid = 0;
  const int failed = ::posix_spawnp(&pid, "rg", &actions, nullptr, argv.data(), environ);
  ::close(ends[1]);
  std::string output;
  char buffer[65536];
  for (ssize_t got = 0; !failed && (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    output.append(buffer, static_cast<std::size_t>(got));
  ::close(ends[0]);
  ::posix_spawn_file_actions_destroy(&actions);
  rusage usage{};
  int status = 0;
  if (failed || ::wait4(pid, &status, 0, &usage) != pid) return run;
  run.ms = ms_since(begun);
  run.cpu_ms = cpu_ms(usage);
  run.peak_mb = static_cast<double>(usage.ru_maxrss) / 1024;
  run.lines = count_lines(output);
  return run;
}

// Before we have grown ourselves.
double ripgrep_peak_mb() {
  static const double peak =
      std::max(run_ripgrep({"-c", "-e", "tare"}).peak_mb, run_ripgrep({"-c", "-e", "(mo|ni)+ver"}).peak_mb);
  return peak;
}

double peak_mb() {
  return static_cast<double>(own_usage().ru_maxrss) / 1024;
}

double median(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

template <class Ours>
void compare(benchmark::State& state, const std::vector<std::string>& arguments, Ours&& ours) {
  ripgrep_peak_mb();
  std::vector<double> our_times, their_times, our_cpu, their_cpu;
  Run theirs;
  for (auto _ : state) {
    for (int round = 0; round < kRounds; ++round) {
      const auto begun = std::chrono::steady_clock::now();
      const double cpu_begun = cpu_ms(own_usage());
      const std::size_t lines = ours();
      our_times.push_back(ms_since(begun));
      our_cpu.push_back(cpu_ms(own_usage()) - cpu_begun);
      theirs = run_ripgrep(arguments);
      their_times.push_back(theirs.ms);
      their_cpu.push_back(theirs.cpu_ms);
      if (theirs.lines != lines) return state.SkipWithError(fmt::format("ours: {}, rg: {} lines", lines, theirs.lines).c_str());
    }
  }
  state.counters["ours_ms"] = median(our_times);
  state.counters["rg_ms"] = median(their_times);
  state.counters["share"] = median(our_times) / median(their_times);
  state.counters["ours_cpu_ms"] = median(our_cpu);
  state.counters["rg_cpu_ms"] = median(their_cpu);
  state.counters["ours_peak_MB"] = peak_mb();
  state.counters["rg_peak_MB"] = ripgrep_peak_mb();
}

void grep_beside_rg(benchmark::State& state, const char* pattern, bool ignore_case, const char* mode) {
  GrepRequest request;
  request.pattern = pattern;
  request.ignore_case = ignore_case;
  request.output_mode = mode;
  request.head_limit = 0;
  std::vector<std::string> arguments = {std::string(mode) == "count" ? "-c" : "-l", "-e", pattern};
  if (ignore_case) arguments.push_back("-i");
  compare(state, arguments, [&] {
    const std::string text = grep(tree().library(), NoProposals(), request).value();
    return text == "No matches found." ? 0 : count_lines(text) + 1;
  });
}
#define GREP(name, ...) BENCHMARK_CAPTURE(grep_beside_rg, name, __VA_ARGS__)->Unit(benchmark::kMillisecond)->Iterations(1)
GREP(nowhere, "no_such_word_here", false, "files_with_matches");
GREP(rare_literal, "walrus_needle", false, "files_with_matches");
GREP(rare_literal_any_case, "WALRUS_needle", true, "files_with_matches");
GREP(rare_regex, "wal[a-z]+_ne+dle", false, "files_with_matches");
GREP(rare_alternatives, "walrus_needle|dugong_needle", false, "files_with_matches");
GREP(regex_without_literal, "[A-Z][a-z]+ [0-9]{4}$", false, "files_with_matches");
GREP(words_of_other_scripts, "\\bGröße\\b", false, "count");
GREP(common_literal_count, "tare", false, "count");
GREP(common_regex_count, "(mo|ni)+ver", false, "count");
GREP(every_line_count, "", false, "count");

void glob_beside_rg(benchmark::State& state) {
  GlobRequest request;
  request.pattern = "**/*.md";
  const std::size_t files = run_ripgrep({"--files", "-g", "*.md"}).lines;
  compare(state, {"--files", "-g", "*.md"}, [&] {
    // A thousand are shown, the others are counted.
    benchmark::DoNotOptimize(glob(tree().library(), request).value());
    return files;
  });
}
BENCHMARK(glob_beside_rg)->Unit(benchmark::kMillisecond)->Iterations(1);

void search_first(benchmark::State& state) {
  tree();
  for (auto _ : state) benchmark::DoNotOptimize(SearchIndex().search(tree().library(), NoProposals(), "walrus", 20, {}).value());
  state.counters["peak_MB"] = peak_mb();
}
BENCHMARK(search_first)->Unit(benchmark::kMillisecond)->UseRealTime();

void search_again(benchmark::State& state) {
  SearchIndex index;
  benchmark::DoNotOptimize(index.search(tree().library(), NoProposals(), "walrus", 20, {}).value());
  for (auto _ : state) benchmark::DoNotOptimize(index.search(tree().library(), NoProposals(), "walrus needle", 20, {}).value());
  state.counters["peak_MB"] = peak_mb();
}
BENCHMARK(search_again)->Unit(benchmark::kMillisecond)->UseRealTime();

void links_first(benchmark::State& state) {
  tree();
  for (auto _ : state) benchmark::DoNotOptimize(LinkReader().read(tree().library(), NoProposals(), {}).value());
}
BENCHMARK(links_first)->Unit(benchmark::kMillisecond)->UseRealTime();

void links_again(benchmark::State& state) {
  LinkReader reader;
  benchmark::DoNotOptimize(reader.read(tree().library(), NoProposals(), {}).value());
  for (auto _ : state) benchmark::DoNotOptimize(reader.read(tree().library(), NoProposals(), {}).value());
}
BENCHMARK(links_again)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace holdfast::documents
