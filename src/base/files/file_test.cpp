#include "base/files/file.h"

#include "base/files/test_folder.h"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <set>
#include <thread>
#include <vector>

namespace holdfast {
namespace {

namespace fs = std::filesystem;

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

mode_t mode_of(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

TEST(ReadFile, ReadsWholeFilesWithinTheLimit) {
  const TestFolder folder;
  const std::string bytes("a\0b\n", 4);
  ASSERT_TRUE(replace_file(folder / "f", bytes));
  EXPECT_EQ(read_file(folder / "f"), bytes);
  EXPECT_EQ(read_file(folder / "f", 4), bytes);
  EXPECT_EQ(read_file(folder / "f", 3).error().kind, ErrorKind::too_large);
  ASSERT_TRUE(replace_file(folder / "f", ""));
  EXPECT_EQ(read_file(folder / "f", 0), "");
}

TEST(ReadFile, NamesTheFileInItsErrors) {
  const TestFolder folder;
  const auto missing = read_file(folder / "none");
  EXPECT_EQ(missing.error().kind, ErrorKind::not_found);
  EXPECT_THAT(missing.error().message, testing::HasSubstr("none"));
  EXPECT_EQ(read_file(folder.path()).error().kind, ErrorKind::invalid);
}

TEST(ReadAll, ReadsAPipeOfUnknownLength) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  Fd out(ends[0]), in(ends[1]);
  const std::string bytes(300'000, 'x');
  std::jthread writer([&] {
    EXPECT_TRUE(write_all(in.get(), bytes));
    in.reset();
  });
  EXPECT_EQ(read_all(out.get(), 1'000'000), bytes);
}

TEST(WriteAll, WaitsForANonBlockingPipe) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  Fd out(ends[0]), in(ends[1]);
  ASSERT_EQ(::fcntl(in.get(), F_SETFL, O_NONBLOCK), 0);
  const std::string bytes(1'000'000, 'x');
  std::jthread writer([&] {
    EXPECT_TRUE(write_all(in.get(), bytes));
    in.reset();
  });
  EXPECT_EQ(read_all(out.get(), 2'000'000), bytes);
}

TEST(WriteAll, ReportsABrokenDescriptor) {
  EXPECT_EQ(write_all(-1, "x").error().kind, ErrorKind::io);
  EXPECT_TRUE(write_all(-1, ""));
}

TEST(ReadAll, StopsAnEndlessPipeAtTheLimit) {
  const Fd zero(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(read_all(zero.get(), 100'000).error().kind, ErrorKind::too_large);
}

TEST(ReplaceFile, ReplacesContentAndModeAndLeavesNothingElse) {
  const TestFolder folder;
  ASSERT_TRUE(replace_file(folder / "f", "old"));
  EXPECT_EQ(mode_of(folder / "f"), 0600U);
  ASSERT_TRUE(replace_file(folder / "f", "new", 0644));
  EXPECT_EQ(read_file(folder / "f"), "new");
  EXPECT_EQ(mode_of(folder / "f"), 0644U);
  EXPECT_THAT(names_in(folder.path()), testing::ElementsAre("f"));
}

TEST(ReplaceFile, FailureLeavesTheOldContentAndNoTemporaryFile) {
  const TestFolder folder;
  EXPECT_EQ(replace_file(folder / "none/f", "x").error().kind, ErrorKind::not_found);
  EXPECT_EQ(replace_file(folder.path() + "/", "x").error().kind, ErrorKind::invalid);
  // A folder cannot be renamed over: the temporary file was written already, and goes.
  fs::create_directory(folder / "f");
  EXPECT_FALSE(replace_file(folder / "f", "x"));
  EXPECT_THAT(names_in(folder.path()), testing::ElementsAre("f"));
}

// What a full disk does: the write fails in the middle.
TEST(ReplaceFile, AWriteThatFailsHalfWayChangesNothing) {
  const TestFolder folder;
  ASSERT_TRUE(replace_file(folder / "f", "old"));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto done = replace_file(folder / "f", std::string(10'000, 'x'));
    ::_exit(!done && done.error().kind == ErrorKind::too_large ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_file(folder / "f"), "old");
  EXPECT_THAT(names_in(folder.path()), testing::ElementsAre("f"));
}

TEST(ReplaceFile, ReadersSeeOldOrNewNeverAMixture) {
  const TestFolder folder;
  const std::string old_bytes(100'000, 'a'), new_bytes(100'001, 'b');
  ASSERT_TRUE(replace_file(folder / "f", old_bytes));
  std::atomic<bool> done = false;
  std::jthread writer([&] {
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(replace_file(folder / "f", i % 2 ? old_bytes : new_bytes));
    done = true;
  });
  while (!done) {
    const auto seen = read_file(folder / "f");
    ASSERT_TRUE(seen);
    ASSERT_TRUE(*seen == old_bytes || *seen == new_bytes);
  }
}

TEST(CreateFile, RefusesWhatExists) {
  const TestFolder folder;
  ASSERT_TRUE(create_file(folder / "f", "first", 0640));
  EXPECT_EQ(create_file(folder / "f", "second").error().kind, ErrorKind::conflict);
  EXPECT_EQ(read_file(folder / "f"), "first");
  EXPECT_EQ(mode_of(folder / "f"), 0640U);
  EXPECT_THAT(names_in(folder.path()), testing::ElementsAre("f"));
}

TEST(CreateFile, OfManyCallersOneWins) {
  const TestFolder folder;
  std::atomic<int> winners = 0, losers = 0;
  std::atomic<char> winner = 0;
  {
    std::vector<std::jthread> threads;
    for (char name = 'a'; name < 'i'; ++name) {
      threads.emplace_back([&, name] {
        const auto done = create_file(folder / "f", std::string(1000, name));
        if (done) {
          ++winners;
          winner = name;
        } else if (done.error().kind == ErrorKind::conflict) {
          ++losers;
        }
      });
    }
  }
  EXPECT_EQ(winners, 1);
  EXPECT_EQ(losers, 7);
  EXPECT_EQ(read_file(folder / "f"), std::string(1000, winner));
  EXPECT_THAT(names_in(folder.path()), testing::ElementsAre("f"));
}

TEST(MakePrivateFolder, MakesParentsAndIsContentWithWhatExists) {
  const TestFolder folder;
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(make_private_folder(folder / "a//b/c/"));
  EXPECT_EQ(mode_of(folder / "a"), 0700U);
  EXPECT_EQ(mode_of(folder / "a/b/c"), 0700U);
  EXPECT_TRUE(make_private_folder("/"));
  EXPECT_EQ(make_private_folder("").error().kind, ErrorKind::invalid);
  ASSERT_TRUE(replace_file(folder / "f", "x"));
  EXPECT_EQ(make_private_folder(folder / "f").error().kind, ErrorKind::conflict);
  EXPECT_FALSE(make_private_folder(folder / "f/g"));
}

TEST(SyncFolder, NeedsAFolder) {
  const TestFolder folder;
  EXPECT_TRUE(sync_folder(folder.path()));
  EXPECT_EQ(sync_folder(folder / "none").error().kind, ErrorKind::not_found);
}

TEST(FileLock, ExcludesOtherDescriptorsOfTheSameProcess) {
  const TestFolder folder;
  {
    const auto held = FileLock::acquire(folder / "lock");
    ASSERT_TRUE(held);
    EXPECT_EQ(FileLock::try_acquire(folder / "lock").error().kind, ErrorKind::conflict);
    // Opening and closing the file elsewhere must not drop the lock.
    EXPECT_TRUE(read_file(folder / "lock"));
    EXPECT_EQ(FileLock::try_acquire(folder / "lock").error().kind, ErrorKind::conflict);
  }
  EXPECT_TRUE(FileLock::try_acquire(folder / "lock"));
}

TEST(FileLock, ExcludesOtherProcessesAndEndsWithThem) {
  const TestFolder folder;
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  Fd told(ends[0]), tell(ends[1]);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto held = FileLock::acquire(folder / "lock");
    static_cast<void>(write_all(tell.get(), held ? "y" : "n"));
    ::pause();
    ::_exit(0);
  }
  char answer = 0;
  ASSERT_EQ(::read(told.get(), &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  EXPECT_EQ(FileLock::try_acquire(folder / "lock").error().kind, ErrorKind::conflict);
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(FileLock::acquire(folder / "lock"));
}

TEST(FileLock, WaitingCallersTakeTurns) {
  const TestFolder folder;
  int inside = 0, most = 0, turns = 0;  // guarded by the lock under test; TSan looks at them through it
  std::mutex for_the_sanitizer;         // a file lock is invisible to TSan
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int turn = 0; turn < 50; ++turn) {
          const auto held = FileLock::acquire(folder / "lock");
          ASSERT_TRUE(held);
          {
            const std::lock_guard guard(for_the_sanitizer);
            most = std::max(most, ++inside);
          }
          const std::lock_guard guard(for_the_sanitizer);
          --inside;
          ++turns;
        }
      });
    }
  }
  EXPECT_EQ(most, 1);
  EXPECT_EQ(turns, 200);
}

}  // namespace
}  // namespace holdfast
