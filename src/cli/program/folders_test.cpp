#include "cli/program/folders.h"

#include "base/files/test_folder.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <map>

namespace holdfast::cli {
namespace {

Environment with(std::map<std::string, std::string> variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(Folders, FollowTheXdgVariables) {
  auto folders = find_folders(with({{"HOME", "/h"}, {"XDG_DATA_HOME", "/d"}}));
  ASSERT_TRUE(folders);
  EXPECT_EQ(folders->data, "/d/holdfast");
  EXPECT_EQ(folders->config, "/h/.config/holdfast");
  EXPECT_EQ(folders->default_store(), "sqlite:/d/holdfast/store.db");
}

TEST(Folders, IgnoreRelativePaths) {
  auto folders = find_folders(with({{"HOME", "/h"}, {"XDG_DATA_HOME", "d"}, {"XDG_CONFIG_HOME", ""}}));
  ASSERT_TRUE(folders);
  EXPECT_EQ(folders->data, "/h/.local/share/holdfast");
  EXPECT_EQ(find_folders(with({})).error().kind, ErrorKind::invalid);
}

TEST(Folders, TheDataFolderIsClosedToOthers) {
  TestFolder home;
  Folders folders;
  folders.data = home / "a/holdfast";
  auto mode = [&] {
    struct stat status{};
    EXPECT_EQ(::stat(folders.data.c_str(), &status), 0);
    return status.st_mode & 0777;
  };
  ASSERT_TRUE(make_data_folder(folders));
  EXPECT_EQ(mode(), 0700U);
  ASSERT_EQ(::chmod(folders.data.c_str(), 0755), 0);
  ASSERT_TRUE(make_data_folder(folders));
  EXPECT_EQ(mode(), 0700U);
}

}  // namespace
}  // namespace holdfast::cli
