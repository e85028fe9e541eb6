#include "base/files/in_folder.h"

#include "base/files/file.h"
#include "base/files/path_below.h"
#include "base/files/test_folder.h"

#include <gtest/gtest.h>

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace holdfast {
namespace {

class InFolder : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& bytes) { ASSERT_TRUE(replace_file(at(name), bytes)); }
  std::string at(const std::string& name) const { return folder_.path() + "/" + name; }

  TestFolder folder_;
  Fd open_ = open_folder(folder_.path()).value();
};

TEST_F(InFolder, ListsNamesAndWhatTheyAre) {
  write("a", "1");
  ASSERT_EQ(::mkdir(at("b").c_str(), 0700), 0);
  ASSERT_EQ(::symlink("a", at("c").c_str()), 0);
  auto entries = entries_in(folder_.path()).value();
  std::ranges::sort(entries, {}, &FolderEntry::name);
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].name, "a");
  EXPECT_EQ(entries[0].type, DT_REG);
  EXPECT_EQ(entries[1].type, DT_DIR);
  EXPECT_EQ(entries[2].type, DT_LNK);
  EXPECT_EQ(entries_in(at("none")).error().kind, ErrorKind::not_found);
}

TEST_F(InFolder, GivesAFreeNameAlone) {
  write("a", "1");
  write("b", "2");
  EXPECT_EQ(rename_new(open_.get(), "a", open_.get(), "b"), EEXIST);
  EXPECT_EQ(rename_new(open_.get(), "a", open_.get(), "c"), 0);
  EXPECT_EQ(rename_new(open_.get(), "a", open_.get(), "d"), ENOENT);
  EXPECT_EQ(read_file(at("c")).value(), "1");
  EXPECT_EQ(read_file(at("b")).value(), "2");
}

}  // namespace
}  // namespace holdfast
