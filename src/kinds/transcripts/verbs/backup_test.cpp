#include "kinds/transcripts/verbs/backup.h"

#include "base/files/file.h"
#include "base/files/test_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>

namespace holdfast::transcripts {
namespace {

using testing::HasSubstr;

constexpr const char* kBackedUpOne = "000000a1-0000-4000-8000-0000000000a1";
constexpr const char* kBackedUpTwo = "000000a2-0000-4000-8000-0000000000a2";

struct BackupsTest : testing::Test {
  void add(const std::string& name, Millis at) {
    ASSERT_TRUE(create_file(folder / name, "{}"));
    const timespec time{at / 1000, (at % 1000) * 1'000'000};
    const timespec times[] = {time, time};
    ASSERT_EQ(::utimensat(AT_FDCWD, (folder / name).c_str(), times, 0), 0);
  }
  TestFolder folder;
};

TEST_F(BackupsTest, OfOneSessionTheNewestCounts) {
  add(std::string(kBackedUpOne) + "-20260101-000000.json", 1000);
  add(std::string(kBackedUpOne) + "-20260102-000000.json", 2000);
  add(std::string(kBackedUpTwo) + "-20260101-120000.json.zst", 1500);
  auto all = newest_backups(folder.path()).value();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].session_id, kBackedUpOne);
  EXPECT_THAT(all[0].path, HasSubstr("20260102"));
  EXPECT_EQ(all[0].made_at, 2000);
  EXPECT_EQ(all[1].session_id, kBackedUpTwo);
}

TEST_F(BackupsTest, OtherFilesAreNoBackups) {
  add("notes.json", 1);
  add(std::string(kBackedUpOne) + ".json", 1);
  add(std::string(kBackedUpOne) + "-20260101-000000.tmp", 1);
  EXPECT_TRUE(newest_backups(folder.path()).value().empty());
  EXPECT_TRUE(newest_backups(folder / "none").value().empty());
}

TEST_F(BackupsTest, AnIdMayBeShortButNotUnclear) {
  add(std::string(kBackedUpOne) + "-20260101-000000.json", 1000);
  add(std::string(kBackedUpTwo) + "-20260101-000000.json", 1000);
  EXPECT_EQ(find_backup(folder.path(), "000000a2").value().session_id, kBackedUpTwo);
  auto unclear = find_backup(folder.path(), "000000");
  ASSERT_FALSE(unclear);
  EXPECT_EQ(unclear.error().kind, ErrorKind::ambiguous);
  EXPECT_THAT(unclear.error().hint, HasSubstr(kBackedUpOne));
  auto missing = find_backup(folder.path(), "ff");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::not_found);
  EXPECT_THAT(missing.error().message, HasSubstr(folder.path()));
}

}  // namespace
}  // namespace holdfast::transcripts
