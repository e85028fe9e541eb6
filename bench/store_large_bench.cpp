// A small store beside one of 10^6 sessions and 10^8 bytes of entries: a page of 50 with its total, what is found under a root, a
// search in entries and in titles, an append. `p50_us` and `p99_us` are of single calls; the table at the end has the ratio of
// the two sizes, which must not be more than that of their logarithms (1.5 for 10^4 and 10^6).
//
//   build/release/bench/store_large_bench                                            a store in a file
//   HOLDFAST_BENCH_POSTGRES=postgres://user@host/database build/release/bench/store_large_bench    and one in that database
//   HOLDFAST_BENCH_LARGE=100000 …                                                    another size
//   HOLDFAST_BENCH_FOLDER=/tmp/somewhere …                                           the files stay there, and are used again
//
// Filling takes minutes. The database is filled by copying the file, in the schemas holdfast_small and holdfast_large, which
// stay and are used again: `DROP SCHEMA … CASCADE`.

#include "base/files/test_folder.h"
#include "store/open.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <thread>

namespace holdfast {
namespace {

using namespace session;

constexpr int kSmall = 10'000;
constexpr int kSessionsOfARoot = 10;  // a project has a few; the number of projects grows
constexpr int kTopics = 100;          // a word of every hundredth title
constexpr std::size_t kTextBytes = 100;
constexpr Millis kStart = 1'790'000'000'000;

int large() {
  const char* given = std::getenv("HOLDFAST_BENCH_LARGE");
  return given != nullptr ? std::max(std::atoi(given), kSmall) : 1'000'000;
}

template <class T>
T must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

std::string root_of(int i) {
  return fmt::format("file:///home/user/project-{}", i / kSessionsOfARoot);
}

SessionRecord record_of(int i) {
  SessionRecord record;
  record.id = fmt::format("0199a{:03x}-{:04x}-7000-8000-{:012x}", i % 4096, i * 31 % 65536, i);
  record.kind = i % 4 == 0 ? "thread" : "reasoning";
  record.status = i % 3 == 0 ? "completed" : "active";
  record.title = fmt::format("The {}th session about topic{}", i, i % kTopics);
  record.root_uri = root_of(i);
  record.principal = "local";
  record.created_at = record.updated_at = kStart + i * 1000L;
  return record;
}

// Words that few have, words that some have, and a rare one.
std::string text_of(int i) {
  std::string text = fmt::format("number{} hundred{} ", i, i % 100);
  if (i % kSmall == 77) text += "needle ";
  while (text.size() < kTextBytes) text += fmt::format("word{} ", (i * 31 + static_cast<int>(text.size())) % 9973);
  text.resize(kTextBytes);
  return text;
}

Result<void> add_session(Transaction& t, int i) {
  SessionRecord record = record_of(i);
  HF_CHECK(t.create(record));
  NewEntry entry;
  entry.type = "reasoning";
  entry.number = 1;
  entry.text = text_of(i);
  HF_CHECK(t.append(record.id, entry));
  return {};
}

void fill(const std::string& url, int sessions) {
  const auto store = must(store::open_store(url));
  constexpr int kStep = 1000;
  for (int first = 0; first < sessions; first += kStep) {
    must(store->write([&](Transaction& t) -> Result<void> {
      for (int i = first; i < first + kStep; ++i) HF_CHECK(add_session(t, i));
      return {};
    }));
  }
}

// A search starts to feed the index when there is much to feed; it is at its end when its file grows no more.
void feed_index(Store& store) {
  SearchQuery query;
  query.text = "needle";
  query.principal = "local";
  constexpr int kQuietSeconds = 5;
  std::int64_t bytes = -1;
  for (int quiet = 0; quiet < kQuietSeconds;) {
    must(store.search(query));
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const std::int64_t now = must(store.info()).index_bytes;
    quiet = now == bytes ? quiet + 1 : 0;
    bytes = now;
  }
}

using Times = std::pair<double, double>;                                     // p50, p99 in microseconds
std::map<std::string, std::map<std::string, std::map<int, Times>>> results;  // store, question, size

template <class Ask>
void measure(benchmark::State& state, const std::string& where, const std::string& what, int size, const Ask& ask) {
  std::vector<double> times;
  int number = 0;
  for (auto each : state) {
    const auto before = std::chrono::steady_clock::now();
    ask(number++);
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - before).count());
  }
  std::ranges::sort(times);
  const Times found{times[times.size() / 2], times[times.size() * 99 / 100]};
  state.counters["p50_us"] = found.first;
  state.counters["p99_us"] = found.second;
  results[where][what][size] = found;
}

void add_questions(const std::string& where, int size, Store* store) {
  constexpr int kCalls = 1000;
  const auto add = [&](const std::string& what, auto ask) {
    benchmark::RegisterBenchmark(fmt::format("{}/{}/{}", where, what, size).c_str(), [=](benchmark::State& state) {
      measure(state, where, what, size, ask);
    })->Iterations(kCalls);
  };
  add("a page of 50", [=](int) {
    Query query;
    query.principal = "local";
    query.limit = 50;
    const Page page = must(store->list(query));
    if (page.total < size || page.items.size() != 50) std::abort();
  });
  add("a page of 50 of a kind and status", [=](int) {
    Query query;
    query.principal = "local";
    query.kinds = {"reasoning"};
    query.statuses = {"active"};
    query.visibilities = {Visibility::live};
    query.limit = 50;
    if (must(store->list(query)).items.size() != 50) std::abort();
  });
  add("recovery by root", [=](int number) {
    Query query;
    query.principal = "local";
    query.roots = {root_of(number * 7919 % size)};
    query.sort = Sort::resume;
    query.prefer_status = {"active"};
    if (must(store->list(query)).items.size() != kSessionsOfARoot) std::abort();
  });
  add("search, a rare word", [=](int number) {
    SearchQuery query;
    const int wanted = number * 7919 % size;
    query.text = fmt::format("number{} hundred{}", wanted, wanted % 100);  // of the last word a beginning is enough
    query.principal = "local";
    if (must(store->search(query)).hits.empty()) std::abort();
  });
  add("search, a word of one title", [=](int number) {
    SearchQuery query;
    query.text = fmt::format("{}th", number * 7919 % size);
    query.principal = "local";
    if (must(store->search(query)).hits.size() != 1) std::abort();
  });
  add("search, a word of 1 % of the titles", [=](int number) {
    SearchQuery query;
    query.text = fmt::format("\"topic{}\"", number % kTopics);
    query.principal = "local";
    if (must(store->search(query)).hits.size() != query.limit) std::abort();
  });
  add("search, a word of 1 % of the entries", [=](int number) {
    SearchQuery query;
    query.text = fmt::format("\"hundred{}\"", number % kTopics);
    query.principal = "local";
    if (must(store->search(query)).hits.size() != query.limit) std::abort();
  });
  add("search, a word of nothing", [=](int number) {
    SearchQuery query;
    query.text = fmt::format("absent{}", number);
    query.principal = "local";
    if (!must(store->search(query)).hits.empty()) std::abort();
  });
  add("search, a word of all titles", [=](int) {
    SearchQuery query;
    query.text = "session about";
    query.principal = "local";
    if (!must(store->search(query)).more) std::abort();
  });
  add("append", [=](int number) {
    NewEntry entry;
    entry.type = "note";
    entry.text = text_of(size + number);  // no other search finds it
    const std::string id = record_of(number * 7919 % size).id;
    must(store->write([&](Transaction& t) { return t.append(id, entry); }));
  });
}

std::string with_schema(const std::string& url, std::string_view schema) {
  return fmt::format("{}{}options=-csearch_path%3D{}", url, url.contains('?') ? "&" : "?", schema);
}

bool is_filled(const std::string& url, int sessions) {
  const auto store = store::open_store(url);  // an error: half copied, which copying goes on with
  return store && must((*store)->info()).sessions == sessions;
}

void copy(const std::string& from, const std::string& to) {
  must(store::copy_store(from, to, {}));
}

void print_table() {
  for (const auto& [where, questions] : results) {
    std::printf("\n%-36s %22s %22s %8s %8s\n", where.c_str(), "small p50 / p99 us", "large p50 / p99 us", "p50", "p99");
    for (const auto& [what, sizes] : questions) {
      if (sizes.size() < 2) continue;
      const auto [small, small99] = sizes.begin()->second;
      const auto [big, big99] = sizes.rbegin()->second;
      std::printf("%-36s %10.0f / %9.0f %10.0f / %9.0f %8.2f %8.2f\n", what.c_str(), small, small99, big, big99, big / small,
                  big99 / small99);
    }
  }
}

int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const TestFolder passing;
  const char* const given = std::getenv("HOLDFAST_BENCH_FOLDER");
  const std::string folder = given != nullptr ? given : passing.path();
  std::vector<std::unique_ptr<Store>> stores;
  for (const int size : {kSmall, large()}) {
    const std::string file = fmt::format("sqlite:{}/{}.db", folder, size);
    const auto began = std::chrono::steady_clock::now();
    if (::access(fmt::format("{}/{}.db", folder, size).c_str(), F_OK) != 0) fill(file, size);
    const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); };
    std::printf("%d sessions in a file after %.0f s\n", size, seconds());
    if (const char* database = std::getenv("HOLDFAST_BENCH_POSTGRES")) {
      const std::string url = with_schema(database, size == kSmall ? "holdfast_small" : "holdfast_large");
      if (!is_filled(url, size)) copy(file, url);
      std::printf("and in the database after %.0f s\n", seconds());
      stores.push_back(must(store::open_store(url)));
      add_questions("postgres", size, stores.back().get());
    }
    std::fflush(stdout);
    stores.push_back(must(store::open_store(file)));
    feed_index(*stores.back());
    std::printf("and indexed after %.0f s\n", seconds());
    std::fflush(stdout);
    add_questions("sqlite", size, stores.back().get());
  }
  benchmark::RunSpecifiedBenchmarks();
  print_table();
  return 0;
}

}  // namespace
}  // namespace holdfast

int main(int argc, char** argv) {
  return holdfast::run(argc, argv);
}
