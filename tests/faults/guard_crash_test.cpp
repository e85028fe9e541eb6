// The guard, killed in front of every call that changes its packs, one after the other, and at random moments while SQLite
// writes; and the same with a disk that refuses.
//
// However it ends: what was committed before is there, byte for byte; what was being committed is there as a whole or not at all;
// nothing is damaged, and the next process goes on at once.

#include "base/files/fd.h"
#include "base/files/test_folder.h"
#include "failing_calls.h"
#include "failing_vfs.h"
#include "store/blobs/open.h"
#include "store/blobs/test_blobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace holdfast::store {
namespace {

using session::Blobs;
using Contents = std::map<std::string, std::string>;

constexpr int kMaxCalls = 2000;  // more than any of them needs: a loop that does not end is a failure

// In memory where that is possible: thousands of syncs are what the loops consist of.
const bool in_memory = ::access("/dev/shm", W_OK) == 0 && ::setenv("TMPDIR", "/dev/shm", 1) == 0;

std::unique_ptr<Blobs> open(const TestFolder& folder, const std::string& vfs = {}) {
  BlobOptions options;
  options.sqlite_vfs = vfs;
  options.loose_bytes = 32 * 1024;  // packed anew often
  return open_blobs(folder / "guard", options).value();
}

const Contents& before() {
  static const Contents files = {
      {"grows", made_up_lines(1, 300'000)}, {"replaced", made_up_lines(2, 40'000)}, {"stays", made_up_lines(3, 70'000)}};
  return files;
}
Contents made_after() {
  Contents files = before();
  files["grows"] += made_up_lines(4, 200'000);
  files["replaced"] = made_up_lines(5, 50'000);
  files["new"] = made_up_lines(6, 600'000);
  files["clone"] = made_up_lines(6, 600'000, "another-session");
  return files;
}
const Contents& after() {
  static const Contents files = made_after();
  return files;
}

bool keep(Blobs& blobs, const Contents& files, const std::string& stamp) {
  for (const auto& [key, bytes] : files) {
    if (!blobs.add(incoming(key, bytes, stamp))) return false;
  }
  return blobs.commit().has_value();
}

Contents read_everything(Blobs& blobs) {
  Contents files;
  const auto listed = blobs.files();
  EXPECT_TRUE(listed) << listed.error().message;
  if (!listed) return files;
  for (const session::KeptFile& file : *listed) {
    const auto bytes = read_kept(blobs, file);
    EXPECT_TRUE(bytes) << bytes.error().message;
    if (bytes) files[file.key] = *bytes;
  }
  return files;
}

void expect_whole(Blobs& blobs) {
  const auto check = blobs.verify({});
  ASSERT_TRUE(check) << check.error().message;
  for (const Blobs::Problem& problem : check->problems) ADD_FAILURE() << problem.key << ": " << problem.what;
}

struct GuardWork {
  std::string name;
  std::function<void(const TestFolder&)> prepare;
  std::function<bool(Blobs&)> run;
  Contents result;
};
void PrintTo(const GuardWork& work, std::ostream* out) {
  *out << work.name;
}

GuardWork commit_work() {
  return {"commit", [](const TestFolder& folder) { ASSERT_TRUE(keep(*open(folder), before(), "1")); },
          [](Blobs& blobs) { return keep(blobs, after(), "2"); }, after()};
}

// Forgets one and packs everything else anew.
GuardWork scrub_work() {
  Contents left = before();
  left.erase("stays");
  return {"scrub", [](const TestFolder& folder) { ASSERT_TRUE(keep(*open(folder), before(), "1")); },
          [](Blobs& blobs) {
            const std::vector<std::string> keys = {"stays"};
            return blobs.forget(keys).has_value() && blobs.scrub().has_value();
          },
          left};
}

class GuardCrash : public testing::TestWithParam<GuardWork> {
 protected:
  // False: the work is done, there is no such call.
  bool try_fault(Fault fault, int error_number, int at_call) {
    const GuardWork& work = GetParam();
    const TestFolder folder;
    work.prepare(folder);
    const Ending ending = run_with_fault(fault, error_number, at_call, [&] { return work.run(*open(folder)); });
    auto blobs = open(folder);
    const Contents found = read_everything(*blobs);
    EXPECT_TRUE(found == before() || found == work.result) << work.name << " at call " << at_call;
    if (ending == Ending::succeeded || ending == Ending::never_reached) {
      EXPECT_TRUE(found == work.result) << "at call " << at_call;
    }
    expect_whole(*blobs);
    EXPECT_TRUE(work.run(*blobs)) << "again, after call " << at_call;
    EXPECT_TRUE(read_everything(*blobs) == work.result);
    expect_whole(*open(folder));
    return ending != Ending::never_reached;
  }
  void try_all(Fault fault, int error_number) {
    int at = 1;
    while (try_fault(fault, error_number, at) && !HasFailure()) ASSERT_LT(++at, kMaxCalls);
    EXPECT_GT(at, 8) << "there is more to it than that";
  }
};

TEST_P(GuardCrash, KilledAtEveryCall) {
  try_all(Fault::kill, 0);
}
TEST_P(GuardCrash, EveryCallRefused) {
  try_all(Fault::error, EIO);
}
TEST_P(GuardCrash, TheDiskIsFullFromEveryCallOn) {
  try_all(Fault::disk_breaks, ENOSPC);
}
INSTANTIATE_TEST_SUITE_P(Works, GuardCrash, testing::Values(commit_work(), scrub_work()),
                         [](const auto& tested) { return tested.param.name; });

TEST(GuardCatalogue, ADiskThatFailsUnderSqliteLosesNothing) {
  const std::string vfs = faults::failing_vfs();
  for (const faults::Failure failure : {faults::Failure::disk_full, faults::Failure::write_error, faults::Failure::sync_error}) {
    for (int at = 1;; ++at) {
      ASSERT_LT(at, kMaxCalls);
      const TestFolder folder;
      ASSERT_TRUE(keep(*open(folder), before(), "1"));
      bool done = false;
      bool failed = false;
      {
        auto blobs = open(folder, vfs);
        faults::fail_call(at, failure, true);
        done = keep(*blobs, after(), "2");
        failed = faults::heal();
      }
      auto blobs = open(folder);
      const Contents found = read_everything(*blobs);
      EXPECT_TRUE(found == before() || found == after()) << "at call " << at;
      if (done) {
        EXPECT_TRUE(found == after()) << "at call " << at;
      }
      expect_whole(*blobs);
      EXPECT_TRUE(keep(*blobs, after(), "3"));
      EXPECT_TRUE(read_everything(*blobs) == after());
      if (!failed || HasFailure()) break;
    }
  }
}

// Appends to a file, commit by commit, and says after each how long it is.
[[noreturn]] void append_for_ever(const TestFolder& folder, const std::string& all, std::size_t from, int report_to) {
  auto blobs = open(folder);
  for (std::size_t size = from;; size += 3000) {
    const std::string bytes = all.substr(0, size);
    const bool kept = blobs->add(incoming("grows", bytes, std::to_string(size))) && blobs->commit();
    const std::string line = kept ? std::to_string(size) + "\n" : "failed\n";
    static_cast<void>(::write(report_to, line.data(), line.size()));
  }
}

// With the loose pack packed anew on the way, many times over.
TEST(GuardCatalogue, KilledAtRandomMomentsItLosesNothingThatWasReported) {
  constexpr int kKills = 60;
  const TestFolder folder;
  std::mt19937 random(20261115);
  const std::string all = made_up_lines(7, 40'000'000);
  std::size_t reported = 3000;
  for (int i = 0; i < kKills; ++i) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) append_for_ever(folder, all, reported, ends[1]);
    ::close(ends[1]);
    const Fd reports(ends[0]);
    std::string lines;
    char buffer[4096];
    const long wanted = static_cast<long>(random() % 60);
    bool killed = false;
    for (;;) {
      if (!killed && std::ranges::count(lines, '\n') >= wanted) {
        ::kill(child, SIGKILL);
        killed = true;
      }
      const ssize_t got = ::read(reports.get(), buffer, sizeof buffer);
      if (got <= 0) break;
      lines.append(buffer, static_cast<std::size_t>(got));
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    ASSERT_EQ(lines.find("failed"), std::string::npos);
    if (const std::size_t end = lines.rfind('\n'); end != std::string::npos) {
      const std::size_t start = lines.rfind('\n', end - 1);
      reported = std::stoul(lines.substr(start == std::string::npos ? 0 : start + 1));
    }
    auto blobs = open(folder);
    if (!blobs->file("grows").value()) continue;  // killed before the first
    const auto bytes = read_newest(*blobs, "grows");
    ASSERT_TRUE(bytes) << bytes.error().message;
    ASSERT_GE(bytes->size(), lines.empty() ? 0 : reported);
    ASSERT_TRUE(all.starts_with(*bytes));
    // It may have died between the commit and the report; a shorter file would then be another version.
    reported = bytes->size();
  }
  auto blobs = open(folder);
  expect_whole(*blobs);
  EXPECT_EQ(blobs->versions("grows")->size(), 1U);
  EXPECT_GT(reported, 1'000'000U);
}

}  // namespace
}  // namespace holdfast::store
