#include "kinds/transcripts/staging/staging.h"

#include "base/files/test_folder.h"
#include "kinds/transcripts/staging/journal.h"
#include "kinds/transcripts/testing/test_tree.h"

#include <gmock/gmock.h>

#include <sys/wait.h>

namespace holdfast::transcripts {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::SizeIs;

class StagingTest : public testing::Test {
 protected:
  static void stage(Staging& staging, const std::string& path, std::string_view bytes, mode_t mode = 0600) {
    write_all(staging.create(path, mode).value(), bytes).value();
    staging.done().value();
  }
  void write(const std::string& path, std::string_view bytes) { write_test_file(home_.absolute(path), bytes); }
  std::string read(const std::string& path) { return read_file(home_.absolute(path)).value_or("none"); }
  std::map<std::string, std::string> tree() { return tree_of(home_.folder(), true); }
  mode_t mode_of(const std::string& path) { return home_.stat(path).value().value().st_mode & 07777; }

  // Does something with the home in a process that dies without cleaning up.
  void in_dying_process(const std::function<void()>& act) {
    const pid_t child = ::fork();
    if (child == 0) {
      act();
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }

  TestFolder folder_;
  Home home_ = Home::open(folder_ / "home").value();
};

TEST_F(StagingTest, Safety_8_4_PutsNewFilesInPlaceTogether) {
  Staging staging = Staging::begin(home_, "restore", "a session").value();
  stage(staging, "projects/-p/x.jsonl", "main\n");
  stage(staging, "tasks/x/1.json", "{}", 0644);
  staging.make_folder("session-env/x", 0755).value();
  staging.set_main("projects/-p/x.jsonl", "");
  EXPECT_EQ(home_.stat("tasks").value(), std::nullopt) << "nothing shows before commit";
  ASSERT_TRUE(staging.commit());
  EXPECT_THAT(staging.created(), ElementsAre("tasks/x/1.json", "projects/-p/x.jsonl"));
  EXPECT_EQ(read("projects/-p/x.jsonl"), "main\n");
  EXPECT_EQ(mode_of("projects/-p/x.jsonl"), 0600U);
  EXPECT_EQ(mode_of("tasks/x/1.json"), 0644U);
  EXPECT_EQ(mode_of("projects/-p"), 0700U);
  EXPECT_EQ(mode_of("session-env/x"), 0755U);
  EXPECT_THAT(tree(), Not(Contains(Key(HasSubstr(".holdfast")))));
}

TEST_F(StagingTest, LeavesNothingWhenItIsDropped) {
  write("projects/-p/y.jsonl", "y");
  const auto before = tree();
  {
    Staging staging = Staging::begin(home_, "clone", "s").value();
    stage(staging, "projects/-p/x.jsonl", "main\n");
    staging.remove("projects/-p/y.jsonl");
  }
  EXPECT_EQ(tree(), before);
}

TEST_F(StagingTest, ReplacesNothing) {
  write("tasks/x/1.json", "theirs");
  const auto before = tree();
  Staging staging = Staging::begin(home_, "clone", "s").value();
  stage(staging, "file-history/x/a@v1", "new");
  stage(staging, "tasks/x/1.json", "ours");
  stage(staging, "projects/-p/x.jsonl", "main\n");
  const auto committed = staging.commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().kind, ErrorKind::conflict);
  EXPECT_THAT(committed.error().message, HasSubstr("tasks/x/1.json exists"));
  EXPECT_EQ(tree(), before);
}

TEST_F(StagingTest, AFileInTheWayOfAFolderIsAConflict) {
  write("tasks/x", "a file");
  const auto before = tree();
  Staging staging = Staging::begin(home_, "clone", "s").value();
  stage(staging, "tasks/x/1.json", "ours");
  EXPECT_FALSE(staging.commit());
  EXPECT_EQ(tree(), before);
}

TEST_F(StagingTest, OnePathTwiceIsAConflict) {
  Staging staging = Staging::begin(home_, "clone", "s").value();
  stage(staging, "tasks/x/1.json", "ours");
  EXPECT_EQ(staging.create("tasks/x/1.json", 0600).error().kind, ErrorKind::conflict);
}

TEST_F(StagingTest, Safety_8_1_NothingLeavesTheHome) {
  std::filesystem::create_directories(folder_ / "elsewhere");
  std::filesystem::create_directories(home_.absolute("projects"));
  std::filesystem::create_directory_symlink(folder_ / "elsewhere", home_.absolute("projects/-link"));
  Staging staging = Staging::begin(home_, "restore", "s").value();
  EXPECT_FALSE(staging.create("projects/../../x", 0600));
  EXPECT_FALSE(staging.create("projects/-link/x.jsonl", 0600));
  EXPECT_FALSE(staging.create("/etc/x", 0600));
}

TEST_F(StagingTest, Safety_8_5_TakesAwayFilesAndEmptyFolders) {
  write("projects/-p/x.jsonl", "main");
  write("projects/-p/x/tool-results/a.txt", "a");
  write("tasks/x/1.json", "1");
  write("tasks/x/unknown", "came later");
  Staging staging = Staging::begin(home_, "delete", "s").value();
  for (const char* path : {"projects/-p/x/tool-results/a.txt", "projects/-p/x.jsonl", "tasks/x/1.json"}) staging.remove(path);
  for (const char* path : {"projects/-p/x", "projects/-p/x/tool-results", "tasks/x"}) staging.remove_folder(path);
  staging.set_main("", "projects/-p/x.jsonl");
  ASSERT_TRUE(staging.commit());
  EXPECT_THAT(staging.removed(), ElementsAre("projects/-p/x.jsonl", "projects/-p/x/tool-results/a.txt", "tasks/x/1.json",
                                             "projects/-p/x/tool-results", "projects/-p/x"));
  const auto after = tree();
  EXPECT_THAT(after, SizeIs(5)) << "projects, -p, tasks, x, unknown";
  EXPECT_THAT(after, Contains(Key("tasks/x/unknown")));
}

TEST_F(StagingTest, Safety_8_5_AChangedFileStopsTheRemoval) {
  write("projects/-p/x.jsonl", "main");
  write("tasks/x/1.json", "1");
  Staging staging = Staging::begin(home_, "move", "s").value();
  stage(staging, "projects/-q/x.jsonl", "main");
  staging.remove("tasks/x/1.json");
  staging.remove("projects/-p/x.jsonl");
  staging.set_main("projects/-q/x.jsonl", "projects/-p/x.jsonl");
  write("tasks/x/1.json", "2");
  auto before = tree();
  std::erase_if(before, [](const auto& entry) { return entry.first.starts_with(".holdfast"); });
  const auto committed = staging.commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().kind, ErrorKind::conflict);
  EXPECT_THAT(committed.error().message, HasSubstr("tasks/x/1.json changed"));
  EXPECT_EQ(tree(), before);
}

TEST_F(StagingTest, AFileThatHasGoneStopsTheRemoval) {
  Staging staging = Staging::begin(home_, "delete", "s").value();
  staging.remove("projects/-p/x.jsonl");
  EXPECT_EQ(staging.commit().error().kind, ErrorKind::conflict);
}

TEST_F(StagingTest, FoldersOfAnyModeAreFilledAndEmptied) {
  write("tasks/x/1.json", "theirs");
  const auto before = tree();
  for (const bool succeeds : {false, true}) {
    Staging staging = Staging::begin(home_, "restore", "s").value();
    staging.make_folder("file-history/x", 0500).value();
    stage(staging, "file-history/x/a@v1", "a");
    stage(staging, succeeds ? "tasks/x/2.json" : "tasks/x/1.json", "ours");
    staging.set_main(succeeds ? "tasks/x/2.json" : "tasks/x/1.json", "");
    EXPECT_EQ(staging.commit().has_value(), succeeds);
    if (!succeeds) {
      EXPECT_EQ(tree(), before);
    }
  }
  EXPECT_EQ(mode_of("file-history/x"), 0500U);
  EXPECT_EQ(read("file-history/x/a@v1"), "a");
}

TEST_F(StagingTest, ThousandsOfFiles) {
  Staging staging = Staging::begin(home_, "restore", "s").value();
  for (int i = 0; i < 2000; ++i) stage(staging, "projects/-p/x/tool-results/" + std::to_string(i) + ".txt", "r");
  stage(staging, "projects/-p/x.jsonl", "main");
  staging.set_main("projects/-p/x.jsonl", "");
  ASSERT_TRUE(staging.commit());
  EXPECT_THAT(home_.entries("projects/-p/x/tool-results").value(), SizeIs(2000));
  EXPECT_EQ(staging.created().back(), "projects/-p/x.jsonl");
}

TEST_F(StagingTest, StagedFilesCanBeReadAgain) {
  Staging staging = Staging::begin(home_, "move", "s").value();
  stage(staging, "projects/-p/x.jsonl", "main");
  EXPECT_EQ(read_all(staging.staged("projects/-p/x.jsonl").value().get(), 100).value(), "main");
  EXPECT_EQ(staging.staged("projects/-p/y.jsonl").error().kind, ErrorKind::not_found);
}

TEST_F(StagingTest, WhatADeadProcessStagedIsNamedAndRemoved) {
  write("projects/-p/y.jsonl", "y");
  const auto before = tree();
  in_dying_process([&] {
    Staging* const staging = new Staging(Staging::begin(home_, "clone", "s").value());
    stage(*staging, "projects/-p/x.jsonl", "main");
  });
  const auto left = leftovers(home_).value();
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_EQ(left[0].what, "clone");
  EXPECT_EQ(left[0].about, "s");
  EXPECT_GT(left[0].began_at, 0);
  EXPECT_FALSE(left[0].finishing);
  EXPECT_THAT(recover(home_).value(), SizeIs(1));
  EXPECT_EQ(tree(), before);
  EXPECT_THAT(leftovers(home_).value(), IsEmpty());
}

TEST_F(StagingTest, TheNextOperationCleansUp) {
  in_dying_process([&] { new Staging(Staging::begin(home_, "clone", "s").value()); });
  {
    const Staging staging = Staging::begin(home_, "clone", "s").value();
  }
  EXPECT_THAT(tree(), IsEmpty());
}

TEST_F(StagingTest, TheLivingAreLeftAlone) {
  Staging staging = Staging::begin(home_, "clone", "s").value();
  stage(staging, "projects/-p/x.jsonl", "main");
  EXPECT_THAT(leftovers(home_).value(), IsEmpty());
  EXPECT_THAT(recover(home_).value(), IsEmpty());
  Staging other = Staging::begin(home_, "clone", "t").value();
  stage(other, "projects/-p/y.jsonl", "other");
  ASSERT_TRUE(other.commit());
  ASSERT_TRUE(staging.commit());
  EXPECT_EQ(read("projects/-p/x.jsonl"), "main");
  EXPECT_EQ(read("projects/-p/y.jsonl"), "other");
}

TEST_F(StagingTest, P13RecoveryBeforeACommandSaysWhatItDid) {
  EXPECT_THAT(recover_first(home_).notes, IsEmpty());
  in_dying_process([&] {
    auto* const staging = new Staging(Staging::begin(home_, "clone", "a session").value());
    stage(*staging, "projects/-p/x.jsonl", "main");
  });
  write(".holdfast/delete-1/old-0", "precious");  // which nobody can deal with, and which stops nobody
  const Recovered recovered = recover_first(home_);
  EXPECT_THAT(recovered.notes, ElementsAre(testing::ContainsRegex("a clone of a session .* was undone first"),
                                           HasSubstr("could not be ended: the journal is gone")));
  EXPECT_THAT(recovered.ended, SizeIs(1));
  EXPECT_EQ(read(".holdfast/delete-1/old-0"), "precious");
}

TEST_F(StagingTest, TakenFilesWithoutAJournalAreNotThrownAway) {
  write(".holdfast/delete-1/old-0", "all that is left of a transcript");
  EXPECT_FALSE(recover(home_));
  EXPECT_THAT(leftovers(home_).value(), SizeIs(1));
  {
    const Staging staging = Staging::begin(home_, "clone", "s").value();
  }  // and nobody is stopped by it
  EXPECT_EQ(read(".holdfast/delete-1/old-0"), "all that is left of a transcript");
}

TEST_F(StagingTest, ADamagedJournalIsLeftAlone) {
  write(".holdfast/delete-1/journal", "{\"journal\":1}\nnot JSON\n{\"phase\":\"taken\"}\n");
  write(".holdfast/delete-1/old-0", "precious");
  EXPECT_EQ(recover(home_).error().kind, ErrorKind::corrupt);
  EXPECT_EQ(read(".holdfast/delete-1/old-0"), "precious");
}

TEST_F(StagingTest, TheJournalHoldsNamesThatAreNotUtf8) {
  const std::string name = "projects/-p/x/tool-results/\xFF.txt";
  JournalContent plan;
  plan.new_folders.push_back({name, {}, 0700, 1});
  plan.new_files.push_back({name, {}, {}});
  plan.old_files.push_back({name, {}, {}});
  plan.old_folders.push_back(name);
  const auto read = parse_journal(journal_opening("clone", "s", 1) + journal_plan(plan));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->new_folders.at(0).path, name);
  EXPECT_EQ(read->new_files.at(0).path, name);
  EXPECT_EQ(read->old_files.at(0).path, name);
  EXPECT_THAT(read->old_folders, ElementsAre(name));
}

TEST_F(StagingTest, Section15_AnAreaOnAnotherFileSystem) {
  const std::string other = "/dev/shm/holdfast-test-" + std::to_string(::getpid());
  struct stat here{}, there{};
  std::error_code ignored;
  if (!std::filesystem::create_directory(other, ignored)) GTEST_SKIP() << "no second file system";
  ASSERT_EQ(::stat(folder_.path().c_str(), &here), 0);
  ASSERT_EQ(::stat(other.c_str(), &there), 0);
  if (here.st_dev == there.st_dev) {
    std::filesystem::remove(other, ignored);
    GTEST_SKIP() << "no second file system";
  }
  std::filesystem::create_directories(home_.folder());
  std::filesystem::create_directory_symlink(other, home_.absolute("projects"));
  write("projects/-p/x.jsonl", "main");
  write("tasks/x/1.json", "1");

  in_dying_process([&] {
    Staging* const staging = new Staging(Staging::begin(home_, "clone", "s").value());
    stage(*staging, "projects/-p/z.jsonl", "z");
  });
  EXPECT_THAT(tree_of(other), Contains(Key(HasSubstr("new-0"))));

  Staging staging = Staging::begin(home_, "move", "s").value();
  EXPECT_THAT(tree_of(other), Not(Contains(Key(HasSubstr("new-0"))))) << "recovered";
  stage(staging, "projects/-q/x.jsonl", "moved");
  stage(staging, "tasks/y/1.json", "2");
  staging.remove("projects/-p/x.jsonl");
  staging.remove("tasks/x/1.json");
  staging.set_main("projects/-q/x.jsonl", "projects/-p/x.jsonl");
  const auto committed = staging.commit();
  ASSERT_TRUE(committed) << committed.error().message;
  EXPECT_EQ(read("projects/-q/x.jsonl"), "moved");
  EXPECT_EQ(read("projects/-p/x.jsonl"), "none");
  EXPECT_EQ(read("tasks/y/1.json"), "2");
  EXPECT_THAT(tree_of(other), SizeIs(3)) << "-p, -q, x.jsonl";
  std::filesystem::remove_all(other, ignored);
}

}  // namespace
}  // namespace holdfast::transcripts
