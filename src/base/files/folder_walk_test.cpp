#include "base/files/folder_walk.h"

#include "base/files/path_below.h"
#include "base/files/test_folder.h"

#include <gmock/gmock.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace holdfast {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct FolderWalkTest : testing::Test {
  void write(const std::string& path, std::string_view text = "x") {
    std::filesystem::create_directories(std::filesystem::path(folder / path).parent_path());
    std::ofstream(folder / path) << text;
  }
  std::vector<std::string> walked() {
    std::vector<std::string> paths;
    const auto found = walk_folder(open_folder(folder.path()).value(), options).value();
    for (const FoundFile& file : found.files) paths.push_back(file.path);
    return paths;
  }
  TestFolder folder;
  FolderWalkOptions options;
};

TEST_F(FolderWalkTest, TakesAllButWhatRulesAndTheCallerLeaveOut) {
  for (const char* path : {"b.md", "a/x.md", ".hidden/x.md", "a-b.md", "a/state/x.md"}) write(path);
  EXPECT_THAT(walked(), ElementsAre(".hidden/x.md", "a-b.md", "a/state/x.md", "a/x.md", "b.md"));
  options.takes = [](std::string_view name) { return !name.starts_with('.'); };
  options.left_out = "a/state";
  EXPECT_THAT(walked(), ElementsAre("a-b.md", "a/x.md", "b.md"));
  options.below = "a";
  EXPECT_THAT(walked(), ElementsAre("a/x.md"));
}

TEST_F(FolderWalkTest, WeakRulesGiveWayToGitignoreAndStrongOnesDoNot) {
  for (const char* path : {"made/x.md", "kept/x.md", "private/x.md", "x.md"}) write(path);
  write(".gitignore", "!made/\n!private/\n.gitignore\n");
  options.weak_rules = {"made/", "kept/"};
  options.strong_rules = {"private/"};
  EXPECT_THAT(walked(), ElementsAre("made/x.md", "x.md"));
  options.below = "kept";
  EXPECT_THAT(walked(), IsEmpty());
}

TEST_F(FolderWalkTest, StampsAndLimits) {
  write("a.md", "12345");
  write("b.md");
  struct stat status{};
  ASSERT_EQ(::stat((folder / "a.md").c_str(), &status), 0);
  const Fd root = open_folder(folder.path()).value();
  auto found = walk_folder(root, options).value();
  ASSERT_EQ(found.files.size(), 2U);
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(found.files[0].size, 5U);
  EXPECT_EQ(found.files[0].inode, status.st_ino);
  EXPECT_EQ(found.files[0].modified_ns, status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec);
  EXPECT_EQ(found.files[0].changed_ns, status.st_ctim.tv_sec * 1'000'000'000LL + status.st_ctim.tv_nsec);
  options.max_files = 1;
  found = walk_folder(root, options).value();
  EXPECT_EQ(found.files.size(), 1U);
  EXPECT_FALSE(found.complete);
  options.cancelled = [] { return true; };
  EXPECT_EQ(walk_folder(root, options).error().kind, ErrorKind::cancelled);
  options.below = "nothing";
  EXPECT_EQ(walk_folder(root, options).error().kind, ErrorKind::not_found);
}

TEST_F(FolderWalkTest, TellsWhichPathsItDoesNotComeTo) {
  write("sub/.gitignore", "*.log\n");
  write("sub/a.log");
  const Fd root = open_folder(folder.path()).value();
  EXPECT_TRUE(is_left_out(root, "sub/a.log", false));
  EXPECT_TRUE(is_left_out(root, "sub/deep/a.log", false));
  EXPECT_FALSE(is_left_out(root, "sub/a.md", false));
  EXPECT_FALSE(is_left_out(root, "", true));
  std::string deep = "d";
  for (std::size_t i = 1; i < kMaxWalkDepth; ++i) deep += "/d";
  EXPECT_TRUE(is_left_out(root, deep + "/a.md", false));
}

}  // namespace
}  // namespace holdfast
