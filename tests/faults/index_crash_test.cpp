// A process that updates the text index is killed at any moment: the index opens, finds everything, and the next update finishes
// the work without a file left over.

#include "base/file.h"
#include "base/test_folder.h"
#include "store/index/open.h"
#include "store/index/test_sources.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

namespace holdfast::store::index {
namespace {

constexpr int kSessions = 6, kRounds = 40;

struct IndexCrash : testing::Test {
  void grow(int round) {
    for (int session = 0; session < kSessions; ++session)
      for (int i = 0; i < 40; ++i)
        sources.add(fmt::format("s{}/main", session),
                    fmt::format("marker{}x{}x{} ", session, round, i) + std::string(12'000, static_cast<char>('a' + i % 26)),
                    round * 1000 + i);
  }
  void expect_everything(int rounds) {
    const auto index = open_text_index(folder / "index").value();
    for (int session = 0; session < kSessions; ++session)
      for (int round = 0; round <= rounds; ++round) {
        session::TextQuery query;
        query.clauses = {
            {session::TextClause::Kind::word, fmt::format("marker{}x{}x{}", session, round, (session * 7 + round) % 40), false}};
        const auto result = index->search(sources, query);
        ASSERT_TRUE(result);
        ASSERT_EQ(result->hits.size(), 1u) << query.clauses[0].text;
      }
  }

  TestFolder folder;
  TestSources sources;
};

TEST_F(IndexCrash, KilledDuringAnyUpdate) {
  int killed = 0;
  for (int round = 0; round < kRounds; ++round) {
    grow(round);
    if (round % 5 == 4) sources.contents["s0/main"].incarnation++;
    const pid_t child = ::fork();
    if (child == 0) {
      auto index = open_text_index(folder / "index");
      const bool done = index && (*index)->update(sources);
      ::_exit(done ? 0 : 1);
    }
    // At another moment every time; how far it comes by then is the machine's business.
    std::this_thread::sleep_for(std::chrono::microseconds(700 * (round % 17)));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    killed += WIFSIGNALED(status);
    ASSERT_NO_FATAL_FAILURE(expect_everything(round)) << "killed in round " << round;
  }
  fmt::print("{} of {} updates were killed\n", killed, kRounds);
  EXPECT_GT(killed, 0);
  const auto index = open_text_index(folder / "index").value();
  ASSERT_TRUE(index->update(sources));
  expect_everything(kRounds - 1);
  const auto state = index->state(sources).value();
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder / "index")) files += file.path().filename() != "lock";
  EXPECT_EQ(files, state.segments + 1) << "segments and their manifest, nothing else";
}

}  // namespace
}  // namespace holdfast::store::index
