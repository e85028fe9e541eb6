#include "kinds/transcripts/guard/guard.h"

#include "kinds/transcripts/guard/guard_watch.h"
#include "kinds/transcripts/guard/test_guard.h"
#include "kinds/transcripts/reading/session_info.h"
#include "kinds/transcripts/testing/test_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/eventfd.h>

#include <thread>

namespace holdfast::transcripts {
namespace {

using testing::Contains;
using testing::Each;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class GuardTest : public GuardedHome {};

TEST_F(GuardTest, KeepsWhatBelongsToSessionsAndNothingElse) {
  const GuardReport report = guard_.keep_all().value();
  EXPECT_THAT(report.troubles, IsEmpty());
  const auto all = keys();
  EXPECT_EQ(report.changed, all.size());
  // Everything an inventory names, of every session.
  const auto sessions = all_sessions(homes_.claude).value();
  for (const FoundSession& session : sessions) {
    const Inventory inventory = take_inventory(homes_.claude, session.place).value();
    for (const Artifact& artifact : inventory.artifacts) {
      if (artifact.kind == ArtifactKind::task_lock) continue;
      EXPECT_THAT(all, Contains("claude:" + artifact.path));
      const auto kept = blobs_->file("claude:" + artifact.path).value();
      ASSERT_TRUE(kept);
      std::string bytes(kept->size, '\0');
      ASSERT_EQ(blobs_->read(*kept, 0, bytes).value(), bytes.size());
      EXPECT_EQ(bytes, files_.read(artifact.path));
      EXPECT_EQ(kept->mode, artifact.mode);
    }
  }
  EXPECT_THAT(all, Contains("codex:" + std::string(kRollout)));
  EXPECT_THAT(all, Each(Not(testing::HasSubstr("settings.json"))));
  EXPECT_THAT(all, Each(Not(testing::HasSubstr("memory"))));
  EXPECT_THAT(all, Each(Not(testing::HasSubstr(".lock"))));
}

TEST_F(GuardTest, ASecondPassReadsNothing) {
  ASSERT_TRUE(guard_.keep_all());
  const GuardReport again = guard_.keep_all().value();
  EXPECT_EQ(again.changed, 0U);
  EXPECT_EQ(again.bytes_read, 0U);
  EXPECT_GT(again.files, 10U);
}

TEST_F(GuardTest, KeepsOneSessionAsAHookAsksFor) {
  const SessionPlace place{TestHome::id("a3"), TestHome::kDemo};
  ASSERT_TRUE(guard_.keep_session(place));
  const auto all = keys();
  const Inventory inventory = take_inventory(homes_.claude, place).value();
  for (const Artifact& artifact : inventory.artifacts) {
    if (artifact.kind == ArtifactKind::task_lock) continue;
    EXPECT_THAT(all, Contains("claude:" + artifact.path));
  }
  EXPECT_THAT(all, Not(Contains("claude:projects/-home-dev-work-demo/" + TestHome::id("a1") + ".jsonl")));
}

TEST_F(GuardTest, ARewrittenFileUnderAnotherInodeIsReadWhole) {
  const std::string path = "projects/-home-dev-work-demo/" + TestHome::id("a1") + ".jsonl";
  ASSERT_TRUE(guard_.keep_all());
  std::string bytes = files_.read(path);
  bytes[10] = '#';
  std::filesystem::remove(files_ / path);
  files_.write(path, bytes + "{}\n");
  ASSERT_TRUE(guard_.keep_all());
  EXPECT_THAT(blobs_->versions("claude:" + path).value(), SizeIs(2));
}

TEST_F(GuardTest, GoneSessionsAreFoundListedAndDescribed) {
  ASSERT_TRUE(guard_.keep_all());
  EXPECT_THAT(gone_sessions(homes_, *blobs_).value(), IsEmpty());
  const std::size_t sessions = kept_sessions(*blobs_)->size();
  const Keeper on_disk = keeper();
  const AnySession original = homes_.find(TestHome::id("a3")).value();
  const SessionLine line = homes_.line_of(original).value();
  const Inventory inventory = homes_.inventory(original).value();
  std::filesystem::remove_all(files_ / "projects");
  const auto gone = gone_sessions(homes_, *blobs_).value();
  EXPECT_EQ(gone.size() + 1, sessions);  // Codex has its own still
  const KeptSession kept = find_kept_session(*blobs_, "000000a3").value();
  EXPECT_EQ(find_kept_session(*blobs_, "000000a").error().kind, ErrorKind::ambiguous);
  EXPECT_EQ(find_kept_session(*blobs_, "99").error().kind, ErrorKind::not_found);

  const auto source = source_in_guard(*blobs_, kept);
  EXPECT_EQ(source->line()->title, line.title);
  const Inventory copy = source->inventory().value();
  ASSERT_EQ(copy.artifacts.size() + 1, inventory.artifacts.size());  // without the lock
  for (const Artifact& artifact : copy.artifacts) {
    const Artifact* const was = inventory.find(artifact.path);
    ASSERT_TRUE(was) << artifact.path;
    EXPECT_EQ(artifact.kind, was->kind);
    EXPECT_EQ(artifact.size, was->size);
    EXPECT_EQ(artifact.mode, was->mode);
    EXPECT_EQ(artifact.mtime, was->mtime);
  }
  EXPECT_EQ(describe_session(on_disk, *source)->state_word(), "kept");
  EXPECT_TRUE(std::filesystem::is_empty(on_disk.temporary_folder().value())) << "nothing is laid out for it";
}

TEST_F(GuardTest, RestoresByteForByteWhatIsGone) {
  ASSERT_TRUE(guard_.keep_all());
  std::map<std::string, Inventory> inventories;
  std::map<std::string, std::string> bytes;
  const auto sessions = all_sessions(homes_.claude).value();
  for (const FoundSession& session : sessions) {
    Inventory inventory = take_inventory(homes_.claude, session.place).value();
    std::erase_if(inventory.artifacts, [](const Artifact& each) { return each.kind == ArtifactKind::task_lock; });
    for (const Artifact& artifact : inventory.artifacts) bytes[artifact.path] = files_.read(artifact.path);
    inventories[session.place.session_id] = std::move(inventory);
  }
  for (const char* area : {"projects", "tasks", "file-history", "plans", "session-env", "debug", "todos"}) {
    std::filesystem::remove_all(files_ / area);
  }
  const Keeper verbs = keeper();
  const auto start = std::filesystem::file_time_type::clock::now();
  for (const auto& [id, inventory] : inventories) {
    const auto source = source_in_guard(*blobs_, find_kept_session(*blobs_, id).value());
    EXPECT_EQ(source->name(), "guard:" + id);
    CopyOptions options;
    options.in_place = true;
    const auto result = verbs.restore(*source, options);
    ASSERT_TRUE(result) << result.error().message;
    for (const Artifact& artifact : inventory.artifacts) {
      EXPECT_EQ(files_.read(artifact.path), bytes[artifact.path]) << artifact.path;
      // Or the client removes it again at its next start.
      EXPECT_GE(std::filesystem::last_write_time(files_ / artifact.path), start - std::chrono::seconds(1)) << artifact.path;
    }
  }
}

TEST_F(GuardTest, ARewrittenFileWithItsOldTimeIsSeen) {
  const std::string path = "projects/-home-dev-work-demo/" + TestHome::id("a1") + ".jsonl";
  ASSERT_TRUE(guard_.keep_all());
  const auto time = std::filesystem::last_write_time(files_ / path);
  std::string bytes = files_.read(path);
  bytes[10] = '#';
  std::fstream(files_ / path, std::ios::binary | std::ios::in | std::ios::out) << bytes;
  std::filesystem::last_write_time(files_ / path, time);
  EXPECT_EQ(guard_.keep_all()->changed, 1U);
  EXPECT_THAT(blobs_->versions("claude:" + path).value(), SizeIs(2));
}

TEST_F(GuardTest, AHomeThatIsMadeLaterIsWatched) {
  const Homes later = Homes::open(files_.outside() + "/later/deep/.claude", files_.outside() + "/later/.codex").value();
  auto watch = GuardWatch::open(later).value();
  watch->watch_all();
  EXPECT_EQ(watch->unwatched(), 0U);
  const Fd stop(::eventfd(0, EFD_CLOEXEC));
  const std::string path = "projects/-a/" + TestHome::id("b1") + ".jsonl";
  const auto wait_for = [&](const GuardedFile& wanted) {
    for (;;) {
      const auto news = watch->wait(std::chrono::seconds(20), stop.get()).value();
      if (news.files.empty()) return false;  // the time is over
      if (std::ranges::find(news.files, wanted) != news.files.end()) return true;
    }
  };
  const auto write = [](const std::filesystem::path& file) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "{}\n";
  };
  write(files_.outside() + "/later/deep/.claude/" + path);
  EXPECT_TRUE(wait_for({Product::claude, path}));
  write(files_.outside() + "/later/.codex/" + kRollout);
  EXPECT_TRUE(wait_for({Product::codex, kRollout}));
}

TEST_F(GuardTest, WhatIsWrittenIsToldAsItHappens) {
  auto watch = GuardWatch::open(homes_).value();
  watch->watch_all();
  EXPECT_EQ(watch->unwatched(), 0U);
  const Fd stop(::eventfd(0, EFD_CLOEXEC));
  const std::string path = "projects/-home-dev-work-demo/" + TestHome::id("a1") + ".jsonl";
  const std::string fresh = "projects/-home-dev-work-new/" + TestHome::id("b1");
  files_.append(path, "{}\n");
  // A folder that is made, and filled before it can be watched.
  files_.write(fresh + ".jsonl", "{}\n");
  files_.write(fresh + "/subagents/agent-a1.jsonl", "{}\n");
  files_.write("settings.json", "{\"a\":1}");
  std::set<std::string> told;
  while (told.size() < 3) {
    const auto news = watch->wait(std::chrono::seconds(20), stop.get()).value();
    ASSERT_FALSE(news.files.empty());
    for (const GuardedFile& file : news.files) told.insert(file.path);
  }
  EXPECT_THAT(told, testing::UnorderedElementsAre(path, fresh + ".jsonl", fresh + "/subagents/agent-a1.jsonl"));
  // And what comes later into that folder.
  files_.append(fresh + "/subagents/agent-a1.jsonl", "{}\n");
  const auto news = watch->wait(std::chrono::seconds(20), stop.get()).value();
  EXPECT_THAT(news.files, testing::ElementsAre(GuardedFile{Product::claude, fresh + "/subagents/agent-a1.jsonl"}));
  ASSERT_EQ(::eventfd_write(stop.get(), 1), 0);
  EXPECT_TRUE(watch->wait(std::chrono::seconds(20), stop.get())->stopped);
}

}  // namespace
}  // namespace holdfast::transcripts
