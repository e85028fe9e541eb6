#include "base/files/sync_set.h"

#include "base/files/path_below.h"
#include "base/files/test_folder.h"

#include <gtest/gtest.h>

#include <fcntl.h>

namespace holdfast {
namespace {

TEST(SyncSet, SyncsAFewFilesOneByOneAndManyAsWholes) {
  const TestFolder folder;
  for (const bool many : {false, true}) {
    SyncSet syncs(2);
    for (int i = 0; i < (many ? 5 : 2); ++i) {
      const Fd file(::open((folder / std::to_string(i)).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
      ASSERT_TRUE(syncs.add(file));
    }
    EXPECT_EQ(syncs.syncs_wholes(), many);
    EXPECT_TRUE(syncs.sync());
    EXPECT_TRUE(syncs.sync()) << "once more, with nothing new";
  }
  EXPECT_EQ(SyncSet(1).add(Fd()).error().kind, ErrorKind::io);
}

TEST(SyncSet, SyncsEachFolderOnceAndPassesOverThoseThatAreGone) {
  const TestFolder folder;
  SyncSet syncs(1);
  for (const std::string& each : {folder.path(), folder.path(), folder / "gone"}) syncs.touch(each);
  std::vector<std::string> opened;
  const auto open = [&](const std::string& path) {
    opened.push_back(path);
    return open_folder(path);
  };
  EXPECT_TRUE(syncs.sync_folders(open));
  EXPECT_EQ(opened.size(), 2U);
  EXPECT_TRUE(syncs.sync_folders(open));
  EXPECT_EQ(opened.size(), 2U) << "they are forgotten";
  syncs.touch("x");
  EXPECT_EQ(syncs.sync_folders([](const std::string&) -> Result<Fd> { return fail(ErrorKind::refused, "no"); }).error().kind,
            ErrorKind::refused);
}

}  // namespace
}  // namespace holdfast
