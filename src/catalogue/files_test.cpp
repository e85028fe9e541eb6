#include "catalogue/files.h"

#include "catalogue/open.h"
#include "kinds/transcripts/guard/test_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::catalogue {
namespace {

using transcripts::TestHome;

// The same session on disk, in the guard, and in a backup.
class CatalogueFilesTest : public transcripts::GuardedHome {
 protected:
  Found found() { return find(asker(), id_).value(); }
  Asker asker() { return {{}, "local", &keeper_}; }
  void keep_in_backup() {
    transcripts::EraseOptions options;
    options.force = true;
    options.terminate = true;  // what was copied just now looks as if somebody wrote to it
    const auto erased = keeper_.erase(homes_.find(id_).value(), options);
    ASSERT_TRUE(erased) << erased.error().message;
    ASSERT_EQ(found().place(), Place::backup);
  }
  std::string bytes_of(const Files& files) {
    std::ifstream in(files.keeper->homes().of(files.session).absolute(files.session.path()), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::vector<std::uint64_t> lines_read() {
    const auto opened = open(asker(), found(), {}, {}, nullptr);
    EXPECT_TRUE(opened) << opened.error().message;
    std::vector<std::uint64_t> lines;
    if (!opened) return lines;
    const auto window = opened->reading->window({});
    for (const reading::Turn& turn : window->turns) lines.push_back(turn.line);
    return lines;
  }

  const std::string id_ = TestHome::id("a4");
  transcripts::Keeper keeper_ = keeper();
};

TEST_F(CatalogueFilesTest, WhatIsOnDiskIsReadWhereItIs) {
  const Files files = files_of(keeper_, found()).value();
  EXPECT_FALSE(files.kept);
  EXPECT_EQ(files.keeper, &keeper_);
  EXPECT_FALSE(describe(keeper_, found())->kept);
}

TEST_F(CatalogueFilesTest, FromTheGuardAndFromABackupItIsTheSameSession) {
  const std::string original = bytes_of(files_of(keeper_, found()).value());
  const auto usage = describe(keeper_, found())->usage.messages;
  const auto lines = lines_read();
  const auto title = line_of(keeper_, nullptr, found())->title;
  ASSERT_FALSE(lines.empty());
  const auto expect_same = [&](std::string_view where) {
    const Files files = files_of(keeper_, found()).value();
    EXPECT_TRUE(files.kept);
    EXPECT_EQ(bytes_of(files), original);
    const auto info = describe(keeper_, found()).value();
    EXPECT_EQ(info.state_word(), "kept");
    EXPECT_THAT(info.file, testing::HasSubstr(where));
    EXPECT_EQ(info.usage.messages, usage);
    EXPECT_TRUE(verify(keeper_, found())->ok);
    EXPECT_EQ(lines_read(), lines);
  };
  ASSERT_TRUE(guard_.keep_all());
  keep_in_backup();
  expect_same("/deleted/");
  std::filesystem::remove_all(keeper_.backup_folder());
  ASSERT_EQ(found().place(), Place::guard);
  expect_same("guard:" + id_);
  EXPECT_EQ(line_of(keeper_, nullptr, found())->title, title);
}

TEST_F(CatalogueFilesTest, AKeptOneIsClonedWhole) {
  keep_in_backup();
  transcripts::CloneOptions options;
  options.up_to = "u1";
  EXPECT_EQ(clone(keeper_, found(), options, files_.outside()).error().kind, ErrorKind::invalid);
  options.up_to.clear();
  const auto copy = clone(keeper_, found(), options, files_.outside());
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(copy->original_session_id, id_);
  EXPECT_EQ(copy->project_path, "/home/dev/work/demo") << "where it was";
  EXPECT_TRUE(homes_.find(copy->new_session_id));
}

TEST_F(CatalogueFilesTest, AFileWinsOverAnIdForRestore) {
  EXPECT_EQ(copy_at_place(keeper_, "./a.json").value(), std::nullopt);
  EXPECT_EQ(copy_at_place(keeper_, "ffffffff").error().kind, ErrorKind::not_found);
  keep_in_backup();
  const auto copy = copy_at_place(keeper_, "000000a4").value();
  ASSERT_TRUE(copy);
  EXPECT_EQ(open_copy(keeper_, *copy)->origin, copy->in_backup()->path);
}

}  // namespace
}  // namespace holdfast::catalogue
