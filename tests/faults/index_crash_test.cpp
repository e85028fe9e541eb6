// A process that updates the text index dies at any call by which it changes the disk, or the disk refuses: the index opens,
// finds everything, and the next update finishes the work without a file left over.

#include "base/files/test_folder.h"
#include "failing_calls.h"
#include "search/index/open.h"
#include "search/index/test_sources.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

namespace holdfast::search {
namespace {

constexpr int kSessions = 3, kRounds = 7;

struct IndexCrash : testing::Test {
  void grow(int round) {
    for (int session = 0; session < kSessions; ++session)
      for (int i = 0; i < 20; ++i)
        sources.add(fmt::format("s{}/main", session),
                    fmt::format("marker{}x{}x{} ", session, round, i) + std::string(12'000, static_cast<char>('a' + i)), round);
  }
  // Several updates, the last of which merges; a transcript is replaced in between.
  bool update_again_and_again(const std::string& path) {
    auto index = open_text_index(path);
    for (int round = 0; index && round < kRounds; ++round) {
      grow(round);
      if (round == 5) sources.contents["s0/main"].incarnation = 2;
      if (!(*index)->update(sources)) return false;
    }
    return index.has_value();
  }
  void expect_everything(search::TextIndex& index) {
    for (int session = 0; session < kSessions; ++session)
      for (int round = 0; round < kRounds; round += 3) {
        search::TextQuery query;
        query.clauses = {{search::TextClause::Kind::word, fmt::format("marker{}x{}x{}", session, round, session + round), false}};
        const auto result = index.search(sources, query);
        ASSERT_TRUE(result);
        ASSERT_EQ(result->hits.size(), 1u) << query.clauses[0].text;
      }
  }
  int fail_everywhere(Fault fault) {
    for (int call = 1;; ++call) {
      SCOPED_TRACE(fmt::format("at call {}", call));
      const std::string path = folder / fmt::format("index{}", call);
      sources.contents.clear();
      const Ending ending = run_with_fault(fault, ENOSPC, call, [&] { return update_again_and_again(path); });
      for (int round = 0; round < kRounds; ++round) grow(round);
      sources.contents["s0/main"].incarnation = 2;
      const auto index = open_text_index(path).value();
      expect_everything(*index);
      EXPECT_TRUE(index->update(sources));
      expect_everything(*index);
      std::size_t files = 0;
      std::string names;
      for (const auto& file : std::filesystem::directory_iterator(path)) {
        files += file.path().filename() != "lock";
        names += file.path().filename().string() + " ";
      }
      EXPECT_EQ(files, index->state(sources)->segments + 1) << "segments and their manifest, nothing else: " << names;
      if (ending == Ending::never_reached || HasFailure()) return call;
    }
  }

  TestFolder folder;
  TestSources sources;
};

TEST_F(IndexCrash, KilledAtEveryCall) {
  EXPECT_GT(fail_everywhere(Fault::kill), 30);
}

TEST_F(IndexCrash, ADiskThatIsFullFromAnyCallOn) {
  EXPECT_GT(fail_everywhere(Fault::disk_breaks), 30);
}

}  // namespace
}  // namespace holdfast::search
