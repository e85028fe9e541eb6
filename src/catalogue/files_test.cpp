#include "catalogue/files.h"

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
  std::string transcript() {
    const auto source = source_of(keeper_, found()).value();
    const auto bytes = source->open(source->session().path()).value();
    std::string text(bytes.size, '\0');
    EXPECT_EQ(bytes.read(0, text).value(), text.size());
    return text;
  }
  std::vector<std::uint64_t> lines_read() {
    const auto opened = open(asker(), found(), {}, {}, nullptr);
    EXPECT_TRUE(opened) << opened.error().message;
    std::vector<std::uint64_t> lines;
    if (!opened) return lines;
    const auto window = (*opened)->window({});
    for (const reading::Turn& turn : window->turns) lines.push_back(turn.line);
    return lines;
  }

  const std::string id_ = TestHome::id("a4");
  transcripts::Keeper keeper_ = keeper();
};

TEST_F(CatalogueFilesTest, WhatIsOnDiskIsReadWhereItIs) {
  EXPECT_TRUE(source_of(keeper_, found()).value()->on_disk());
  EXPECT_FALSE(describe(keeper_, found())->kept);
}

TEST_F(CatalogueFilesTest, FromTheGuardAndFromABackupItIsTheSameSession) {
  const std::string original = transcript();
  const auto usage = describe(keeper_, found())->usage.messages;
  const auto lines = lines_read();
  const auto title = line_of(keeper_, nullptr, found())->title;
  ASSERT_FALSE(lines.empty());
  const auto expect_same = [&](std::string_view where) {
    EXPECT_FALSE(source_of(keeper_, found()).value()->on_disk());
    EXPECT_EQ(transcript(), original);
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
  const transcripts::CopyOptions options;
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
  EXPECT_EQ(source_of(keeper_, *copy).value()->name(), copy->in_backup()->path);
}

}  // namespace
}  // namespace holdfast::catalogue
