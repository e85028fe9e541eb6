// Kills writing processes with SIGKILL at random moments and looks at what they leave behind.
//
// Several processes, each with several threads, append to the same few sessions. After each append has been
// acknowledged, and only then, the writer reports it over a pipe. However they die, every reported entry must
// be there, once, in the order its writer wrote it; what was not reported may be there or not, but never in
// part; and the next process must be able to go on at once.

#include "base/files/fd.h"
#include "base/files/test_folder.h"
#include "store/open.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <thread>

namespace holdfast {
namespace {

using namespace session;

constexpr int kRounds = 110;
constexpr int kProcesses = 3;  // each killed once a round: 330 kills
constexpr int kThreads = 3;
constexpr int kSessions = 2;
constexpr int kMaxReportsBeforeKill = 40;

struct Report {
  int session = 0;
  long long seq = 0;
  std::string text;
};

std::string session_id(int number) {
  return fmt::format("session-{}", number);
}

NewEntry entry_of(std::string text, std::mt19937& random) {
  NewEntry entry;
  entry.type = "note";
  entry.text = std::move(text);
  // Some larger than a page, so that commits are cut in the middle, too.
  entry.data = std::string(random() % 8 == 0 ? 9000 : random() % 200, 'x');
  return entry;
}

// Appends until killed.
[[noreturn]] void write_for_ever(const std::string& url, int process, unsigned seed, int report_to) {
  auto store = store::open_store(url);
  if (!store) {
    static_cast<void>(::write(report_to, "failed open\n", 12));
    ::_exit(1);
  }
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      std::mt19937 random(seed + static_cast<unsigned>(thread));
      for (int i = 0;; ++i) {
        const int session = static_cast<int>(random() % kSessions);
        const std::string text = fmt::format("{}.{}.{}", process, thread, i);
        const NewEntry entry = entry_of(text, random);
        auto appended = (*store)->write([&](Transaction& t) { return t.append(session_id(session), entry); });
        const std::string line = appended ? fmt::format("{} {} {}\n", session, appended->entry.seq, text)
                                          : fmt::format("failed {}\n", appended.error().message);
        static_cast<void>(::write(report_to, line.data(), line.size()));  // short enough to be whole
      }
    });
  }
  while (true) ::pause();
}

struct Child {
  pid_t pid = 0;
  Fd reports;
};

Child start(const std::string& url, int process, unsigned seed) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("pipe");
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(ends[0]);
    write_for_ever(url, process, seed, ends[1]);
  }
  ::close(ends[1]);
  return {pid, Fd(ends[0])};
}

// Reads until `lines` lines have come, or the end.
void read_lines(const Fd& from, std::string& into, long lines) {
  char buffer[4096];
  while (lines > std::count(into.begin(), into.end(), '\n')) {
    const ssize_t size = ::read(from.get(), buffer, sizeof buffer);
    if (size <= 0) return;
    into.append(buffer, static_cast<std::size_t>(size));
  }
}

std::vector<Report> parse(const std::string& lines) {
  std::vector<Report> reports;
  std::size_t at = 0;
  while (true) {
    const std::size_t end = lines.find('\n', at);
    if (end == std::string::npos) return reports;
    const std::string line = lines.substr(at, end - at);
    at = end + 1;
    Report report;
    char text[64];
    if (std::sscanf(line.c_str(), "%d %lld %63s", &report.session, &report.seq, text) != 3) {
      ADD_FAILURE() << "a writer said: " << line;
      continue;
    }
    report.text = text;
    reports.push_back(report);
  }
}

using Texts = std::map<std::int64_t, std::string>;  // by seq

Texts read_session(Store& store, const std::string& id) {
  Texts texts;
  EntryQuery query;
  query.session = id;
  query.limit = 1000;
  while (true) {
    auto page = store.entries(query);
    if (!page) {
      ADD_FAILURE() << page.error().message;
      return texts;
    }
    for (const Entry& entry : page->entries) {
      EXPECT_FALSE(entry.damage) << *entry.damage;
      texts[entry.seq] = entry.text;
    }
    if (!page->next) return texts;
    query.from = *page->next;
  }
}

// Each text once, and each writer's own texts in the order it wrote them.
void check_order(const Texts& texts) {
  std::map<std::string, long> last;  // by process.thread
  for (const auto& [seq, text] : texts) {
    const std::size_t dot = text.rfind('.');
    const long number = std::stol(text.substr(dot + 1));
    const auto [place, first] = last.try_emplace(text.substr(0, dot), number);
    if (!first) {
      EXPECT_LT(place->second, number) << text << " at " << seq;
      place->second = number;
    }
  }
}

TEST(StoreCrash, LosesNothingThatWasAcknowledged) {
  const TestFolder folder;
  const std::string url = "sqlite:" + (folder / "store.db");
  std::mt19937 random(20261115);
  std::map<int, std::vector<Report>> reported;
  {
    auto store = store::open_store(url).value();
    auto created = store->write([](Transaction& t) -> Result<void> {
      for (int i = 0; i < kSessions; ++i) {
        SessionRecord record;
        record.id = session_id(i);
        record.kind = "reasoning";
        HF_CHECK(t.create(record));
      }
      return {};
    });
    ASSERT_TRUE(created);
  }  // closed before forking: an SQLite connection must not be carried into a child

  int kills = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Child> children;
    for (int i = 0; i < kProcesses; ++i) children.push_back(start(url, round * kProcesses + i, static_cast<unsigned>(random())));
    for (Child& child : children) {
      std::string lines;
      read_lines(child.reports, lines, static_cast<long>(random() % kMaxReportsBeforeKill));
      ASSERT_EQ(::kill(child.pid, SIGKILL), 0);
      ++kills;
      read_lines(child.reports, lines, std::numeric_limits<long>::max());
      ASSERT_EQ(::waitpid(child.pid, nullptr, 0), child.pid);
      for (Report& report : parse(lines)) reported[report.session].push_back(std::move(report));
    }
  }

  auto store = store::open_store(url).value();
  const Integrity integrity = store->integrity().value();
  EXPECT_TRUE(integrity.ok);
  std::size_t acknowledged = 0;
  std::size_t found = 0;
  for (int i = 0; i < kSessions; ++i) {
    const Verification report = store->verify(session_id(i)).value();
    EXPECT_THAT(report.problems, testing::IsEmpty());
    const Texts texts = read_session(*store, session_id(i));
    EXPECT_EQ(texts.empty() ? 0 : texts.rbegin()->first, static_cast<std::int64_t>(texts.size()));
    check_order(texts);
    for (const Report& each : reported[i]) {
      ASSERT_TRUE(texts.contains(each.seq)) << "lost: " << each.text;
      ASSERT_EQ(texts.at(each.seq), each.text);
    }
    acknowledged += reported[i].size();
    found += texts.size();
  }
  EXPECT_GE(kills, 300);
  EXPECT_GT(acknowledged, static_cast<std::size_t>(kills));
  EXPECT_LE(acknowledged, found);
  fmt::print("{} kills, {} appends acknowledged, {} found\n", kills, acknowledged, found);
}

}  // namespace
}  // namespace holdfast
