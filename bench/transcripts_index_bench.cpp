// The text index over a generated Claude Code home: how fast it is built by two threads and with how much memory, how large it
// is, how long questions of every kind take, and when an appended line can be found.
//
//   build/release/bench/transcripts_index_bench [--mb=1000] [--queries=300] [--home=FOLDER] [--index=FOLDER] [--only=KIND]
//
// A home that exists already is used as it is, a real one too. Wall time on a shared machine is noise and work; CPU seconds stand
// beside it. "best" is what `holdfast search` does: 20 hits, three of a session, ranked. "newest" is the same by time.

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/text/text.h"
#include "generated_prose.h"
#include "generated_transcripts.h"
#include "kinds/transcripts/passages/passage_sources.h"
#include "search/index/open.h"

#include <fmt/format.h>

#include <sched.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>
#include <unordered_map>

namespace holdfast::bench {
namespace {

using search::Passage;
using search::TextClause;
using search::TextQuery;
using Steady = std::chrono::steady_clock;

constexpr std::size_t kSampledText = 24 << 20;
constexpr double kRestShare = 0.2;

double seconds_since(Steady::time_point begin) {
  return std::chrono::duration<double>(Steady::now() - begin).count();
}
double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

bool is_plain_word(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

// Passages of all over the home, and how frequent their words are.
struct Sample {
  std::vector<std::string> texts;
  std::vector<std::pair<std::string, std::size_t>> words;  // most frequent first

  Sample(search::PassageSources& sources, Draw& draw) {
    const auto list = sources.list().value();
    const std::vector<search::Source>& listed = *list;
    std::size_t bytes = 0;
    for (int attempt = 0; attempt < 20'000 && bytes < kSampledText; ++attempt) {
      const search::Source& source = listed[draw.below(listed.size())];
      const std::uint64_t end = std::min<std::uint64_t>(source.size, draw.between(1, 2) << 18);
      const auto read = sources.read(source, {}, end, [&](const Passage& passage) {
        if (passage.text.size() > 40 && draw.chance(30)) {
          texts.emplace_back(passage.text.substr(0, 20'000));
          bytes += texts.back().size();
        }
        return true;
      });
      if (!read) continue;
    }
    std::unordered_map<std::string, std::size_t> counts;
    for (const std::string& text : texts)
      for (const std::string_view word : split(text))
        if (is_plain_word(word)) ++counts[to_ascii_lower(word)];
    words.assign(counts.begin(), counts.end());
    std::ranges::sort(words,
                      [](const auto& a, const auto& b) { return std::pair(b.second, a.first) < std::pair(a.second, b.first); });
  }

  static std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find_first_of(" \n\t", at), text.size());
      if (end > at) parts.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return parts;
  }
  const std::string& text(Draw& draw) const { return texts[draw.below(texts.size())]; }
};

struct Asking {
  const Sample& sample;
  Draw& draw;

  static std::vector<TextClause> one(TextClause::Kind kind, std::string text) { return {{kind, std::move(text), false}}; }

  std::vector<TextClause> rare() {
    return one(TextClause::Kind::word, sample.words[sample.words.size() - 1 - draw.below(sample.words.size() / 3)].first);
  }
  std::string common_word() { return sample.words[draw.below(60)].first; }
  std::vector<TextClause> common() { return one(TextClause::Kind::word, common_word()); }
  std::vector<TextClause> phrase(std::size_t count) {
    for (;;) {
      const std::string& text = sample.text(draw);
      const auto parts = Sample::split(text);
      if (parts.size() < count + 2) continue;
      const std::size_t first = draw.below(parts.size() - count);
      bool plain = true;
      for (std::size_t i = first; i < first + count; ++i) plain = plain && is_plain_word(parts[i]);
      if (!plain) continue;
      const char* end = parts[first + count - 1].data() + parts[first + count - 1].size();
      return one(TextClause::Kind::phrase, std::string(parts[first].data(), end));
    }
  }
  std::vector<TextClause> two_common() { return one(TextClause::Kind::phrase, common_word() + " " + common_word()); }
  std::vector<TextClause> both_words() {
    return {{TextClause::Kind::word, common_word(), false}, {TextClause::Kind::word, common_word(), false}};
  }
  std::vector<TextClause> prefix() {
    for (;;)
      if (const std::string& word = sample.words[draw.below(sample.words.size())].first; word.size() > 5)
        return one(TextClause::Kind::prefix, word.substr(0, draw.between(3, 5)));
  }
  // Without blanks, with a sign inside.
  std::vector<TextClause> code(std::size_t low, std::size_t high) {
    for (;;) {
      const std::string& text = sample.text(draw);
      const std::size_t size = draw.between(low, high);
      if (text.size() <= size) continue;
      const std::string part = text.substr(draw.below(text.size() - size), size);
      const bool fits =
          std::ranges::all_of(part, [](char c) { return c > ' ' && c < 127; }) &&
          std::ranges::any_of(part, [](char c) { return std::string_view("_./:()[]<>=-").find(c) != std::string_view::npos; });
      if (fits) return one(TextClause::Kind::literal, part);
    }
  }
  std::vector<TextClause> error_code() { return one(TextClause::Kind::literal, fmt::format("E{:04}", draw.below(900))); }
  std::vector<TextClause> inside() {
    for (;;)
      if (const std::string& word = sample.words[draw.below(sample.words.size())].first; word.size() >= 8)
        return one(TextClause::Kind::literal, word.substr(1 + draw.below(word.size() - 6), 5));
  }
  std::vector<TextClause> chinese() {
    for (;;) {
      const std::string& text = sample.text(draw);
      const std::size_t at = text.find_first_of("\xE5\xE6\xE7", draw.below(text.size()));
      if (at == std::string::npos || at + 6 > text.size()) continue;
      const std::string pair = text.substr(at, 6);
      const auto is_sign = [&](std::size_t i) {
        return pair[i] >= '\xE5' && pair[i] <= '\xE7' && is_valid_utf8(pair.substr(i, 3));
      };
      if (is_sign(0) && is_sign(3)) return one(TextClause::Kind::literal, pair);
    }
  }
  std::vector<TextClause> absent_word() { return one(TextClause::Kind::word, "zz" + Prose::hex(draw, 8)); }
  std::vector<TextClause> absent_code() { return one(TextClause::Kind::literal, common_word() + "_zq" + common_word() + "()"); }
};

double at_share(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

// Of all threads: what a question costs, however many others use the machine.
double cpu_milliseconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

struct Timing {
  std::vector<double> wall, cpu;
  double blocks = 0, hits = 0;
};

Timing ask(search::TextIndex& index, search::PassageSources& sources, const std::vector<std::vector<TextClause>>& queries,
           TextQuery::Order order) {
  Timing timing;
  for (const auto& clauses : queries) {
    TextQuery query;
    query.clauses = clauses;
    query.order = order;
    const auto begin = Steady::now();
    const double cpu_begin = cpu_milliseconds();
    const auto result = index.search(sources, query);
    timing.wall.push_back(seconds_since(begin) * 1000);
    timing.cpu.push_back(cpu_milliseconds() - cpu_begin);
    // A process of real-time priority that never rests is stopped for 50 ms of each second by the system.
    if (::sched_getscheduler(0) != SCHED_OTHER)
      std::this_thread::sleep_for(std::chrono::microseconds(static_cast<long>(200 + timing.wall.back() * kRestShare * 1000)));
    timing.blocks += static_cast<double>(result->blocks_read) / static_cast<double>(queries.size());
    timing.hits += static_cast<double>(result->hits.size()) / static_cast<double>(queries.size());
  }
  return timing;
}

void measure_queries(search::TextIndex& index, search::PassageSources& sources, std::size_t count, const std::string& only) {
  Draw draw(4711);
  const Sample sample(sources, draw);
  Asking asking{sample, draw};
  using Make = std::function<std::vector<TextClause>()>;
  const std::vector<std::pair<const char*, Make>> kinds = {
      {"rare word", [&] { return asking.rare(); }},
      {"common word", [&] { return asking.common(); }},
      {"phrase of 2", [&] { return asking.phrase(2); }},
      {"phrase of 3", [&] { return asking.phrase(3); }},
      {"2 common words as a phrase", [&] { return asking.two_common(); }},
      {"2 common words anywhere", [&] { return asking.both_words(); }},
      {"prefix of 3 to 5", [&] { return asking.prefix(); }},
      {"code of 6 to 10", [&] { return asking.code(6, 10); }},
      {"code of 11 to 20", [&] { return asking.code(11, 20); }},
      {"error code", [&] { return asking.error_code(); }},
      {"5 letters inside a word", [&] { return asking.inside(); }},
      {"Chinese pair", [&] { return asking.chinese(); }},
      {"absent word", [&] { return asking.absent_word(); }},
      {"absent code", [&] { return asking.absent_code(); }},
  };
  fmt::print("\n{:28}{:>46}   {:>46}\n{:28}", "ms", "best", "newest", "");
  for (int i = 0; i < 2; ++i)
    fmt::print("{:>8}{:>8}{:>8}{:>8}{:>7}{:>7}   ", "p50", "p99", "CPU p50", "CPU p99", "blocks", "hits");
  fmt::print("\n");
  for (const auto& [name, make] : kinds) {
    if (!std::string_view(name).starts_with(only)) continue;
    std::vector<std::vector<TextClause>> queries;
    for (std::size_t i = 0; i < count; ++i) queries.push_back(make());
    fmt::print("{:28}", name);
    for (const TextQuery::Order order : {TextQuery::Order::best, TextQuery::Order::newest}) {
      const Timing timing = ask(index, sources, queries, order);
      fmt::print("{:8.2f}{:8.2f}{:8.2f}{:8.2f}{:7.1f}{:7.1f}   ", at_share(timing.wall, 0.5), at_share(timing.wall, 0.99),
                 at_share(timing.cpu, 0.5), at_share(timing.cpu, 0.99), timing.blocks, timing.hits);
    }
    fmt::print("\n");
  }
}

// A line at the end of some transcript: found before the next update, and after it.
void measure_append(search::TextIndex& index, search::PassageSources& sources, const std::string& home) {
  const auto listed = sources.list().value();
  const auto source = std::ranges::find_if(*listed, [](const search::Source& one) { return one.key.ends_with(".jsonl"); });
  const std::string path = home + "/" + source->key.substr(source->key.find(':') + 1);
  Timing found, updated;
  Draw draw(99);
  const Prose prose(1);
  for (int i = 0; i < 50; ++i) {
    const std::string word = fmt::format("appendedword{}x{}", i, ::getpid());
    std::string text;
    while (text.size() < 3000) (text += prose.word(draw)) += ' ';
    const auto begin = Steady::now();
    std::ofstream(path, std::ios::app | std::ios::binary)
        << fmt::format(
               R"({{"type":"user","message":{{"role":"user","content":"{} {}"}},"uuid":"u","timestamp":"2026-11-15T10:00:00.000Z"}})",
               word, text)
        << "\n";
    TextQuery query;
    query.clauses = Asking::one(TextClause::Kind::word, word);
    const auto result = index.search(sources, query);
    found.wall.push_back(seconds_since(begin) * 1000);
    if (!result || result->hits.size() != 1) fmt::print("an appended line was not found\n");
    const auto update_begin = Steady::now();
    if (!index.update(sources)) fmt::print("no update\n");
    updated.wall.push_back(seconds_since(update_begin) * 1000);
  }
  fmt::print(
      "\nan appended line is found after p50 {:.2f} ms, p99 {:.2f} ms; an update after it takes p50 {:.2f} ms, p99 {:.2f} ms\n",
      at_share(found.wall, 0.5), at_share(found.wall, 0.99), at_share(updated.wall, 0.5), at_share(updated.wall, 0.99));
}

// What every search does first: as a server does it, and as a command does that looks at every file once and ends.
void measure_listing(const transcripts::Homes& homes, transcripts::TranscriptSources& kept, const std::string& home) {
  constexpr int kRounds = 200;
  const auto time = [&](search::PassageSources& sources, const auto& before) {
    std::vector<double> cpu;
    for (int i = 0; i < kRounds; ++i) {
      before();
      const double begin = cpu_milliseconds();
      std::ignore = sources.list();
      cpu.push_back(cpu_milliseconds() - begin);
    }
    return at_share(cpu, 0.5) * 1000;
  };
  const auto nothing = [] {};
  const auto listed = kept.list().value();
  const std::string path = home + "/" + listed->front().key.substr(listed->front().key.find(':') + 1);
  const auto touch = [&] { std::ofstream(path, std::ios::app | std::ios::binary).flush(), ::utimes(path.c_str(), nullptr); };
  transcripts::TranscriptSources plain(homes, nullptr);
  fmt::print("\nlisting {} files, µs of CPU (p50)\n", listed->size());
  fmt::print("{:28}{:8.1f}   {}\n", "kept, nothing changed", time(kept, nothing),
             kept.keeps_listing() ? "as a server does; included below" : "it cannot be kept here");
  fmt::print("{:28}{:8.1f}\n", "kept, one file changed", time(kept, touch));
  fmt::print("{:28}{:8.1f}   {}\n", "looked at again", time(plain, nothing), "where it cannot be kept");
  const auto first = [&](bool keep) {
    std::vector<double> cpu;
    for (int i = 0; i < kRounds / 10; ++i) {
      transcripts::TranscriptSources fresh(homes, nullptr, transcripts::Keeping{.kept = keep});
      const double begin = cpu_milliseconds();
      std::ignore = fresh.list();
      cpu.push_back(cpu_milliseconds() - begin);
    }
    return at_share(cpu, 0.5) * 1000;
  };
  fmt::print("{:28}{:8.1f}   {}\n", "looked at once", first(false), "as a command does");
  fmt::print("{:28}{:8.1f}   {}\n", "kept, the first time", first(true), "a server's first search");
}

struct Options {
  std::uint64_t megabytes = 1000;
  std::size_t queries = 300;
  std::string home, index, only;
};

int run(const Options& options) {
  const TestFolder folder;
  const std::string home = options.home.empty() ? folder / "home" : options.home;
  const std::string index_folder = options.index.empty() ? folder / "index" : options.index;
  if (!std::filesystem::exists(home + "/projects")) {
    HomePlan plan;
    plan.bytes = options.megabytes * 1'000'000;
    const auto begin = Steady::now();
    const auto made = write_home(home, plan);
    if (!made) return fmt::print("{}\n", made.error().message), 1;
    fmt::print("generated {} files, {:.0f} MB, in {:.1f} s\n", made->files.size(), static_cast<double>(made->bytes) / 1e6,
               seconds_since(begin));
  }
  std::fflush(stdout);
  // In a process of its own, so that its memory is the index's alone.
  const auto begin = Steady::now();
  const pid_t child = ::fork();
  if (child == 0) {
    const auto homes = transcripts::Homes::open(home, home + "/none");
    transcripts::TranscriptSources sources(*homes, nullptr);
    auto index = search::open_text_index(index_folder);
    const auto updated = (*index)->update(sources);
    if (!updated) fmt::print("{}\n", updated.error().message);
    std::fflush(stdout);
    ::_exit(updated ? 0 : 1);
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  const double took = seconds_since(begin);

  const auto homes = transcripts::Homes::open(home, home + "/none");
  transcripts::TranscriptSources sources(*homes, nullptr, transcripts::Keeping{.kept = true});
  const auto index = search::open_text_index(index_folder).value();
  const auto state = index->state(sources).value();
  const double megabytes = static_cast<double>(state.source_bytes) / 1e6, cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  fmt::print("indexed {:.0f} MB of {} files in {:.2f} s: {:.0f} MB/s; {:.2f} s of CPU: {:.0f} MB/s a core\n", megabytes,
             state.sources, took, megabytes / took, cpu, megabytes / cpu);
  fmt::print("peak memory {:.0f} MB; index {:.1f} MB in {} segments: {:.1f} % of the transcripts; indexed {:.2f} %\n",
             static_cast<double>(usage.ru_maxrss) / 1024, static_cast<double>(state.index_bytes) / 1e6, state.segments,
             100.0 * static_cast<double>(state.index_bytes) / static_cast<double>(state.source_bytes),
             100.0 * static_cast<double>(state.indexed_bytes) / static_cast<double>(state.source_bytes));
  measure_listing(*homes, sources, home);
  measure_queries(*index, sources, options.queries, options.only);
  measure_append(*index, sources, home);
  return 0;
}

}  // namespace
}  // namespace holdfast::bench

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // it takes minutes
  holdfast::bench::Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    const auto value = [&](std::string_view name) { return argument.starts_with(name) ? arguments[i] + name.size() : nullptr; };
    if (const char* text = value("--mb=")) options.megabytes = std::strtoull(text, nullptr, 10);
    if (const char* text = value("--queries=")) options.queries = std::strtoull(text, nullptr, 10);
    if (const char* text = value("--home=")) options.home = text;
    if (const char* text = value("--index=")) options.index = text;
    if (const char* text = value("--only=")) options.only = text;
    // scripts/bench --quick asks for short rounds this way.
    if (const char* text = value("--benchmark_min_time=")) options.megabytes = std::strtod(text, nullptr) < 0.1 ? 100 : 1000;
  }
  return holdfast::bench::run(options);
}
