#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "kinds/transcripts/products/claude/project_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::transcripts {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WorktreesTest : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder / path).parent_path());
    ASSERT_TRUE(replace_file(folder / path, text));
  }
  // As `git worktree add` leaves it.
  void add_tree(const std::string& name) {
    write("main/.git/worktrees/" + name + "/gitdir", folder / (name + "/.git\n"));
    write("main/.git/worktrees/" + name + "/commondir", "../..\n");
    write(name + "/.git", "gitdir: " + (folder / ("main/.git/worktrees/" + name)) + "\n");
  }

  TestFolder folder;
};

TEST_F(WorktreesTest, Search_10_AllTreesFromAnyOfThem) {
  write("main/.git/HEAD", "ref: x");
  EXPECT_THAT(worktrees_of(folder / "main"), ElementsAre(folder / "main"));
  add_tree("tree1");
  add_tree("tree2");
  std::filesystem::create_directories(folder / "main/src/deep");
  for (const char* from : {"main", "main/src/deep", "tree1", "tree2", "main/src/gone"})
    EXPECT_THAT(worktrees_of(folder / from), ElementsAre(folder / "main", folder / "tree1", folder / "tree2")) << from;
}

TEST_F(WorktreesTest, NoRepositoryOrABrokenOne) {
  EXPECT_THAT(worktrees_of(folder / "plain"), IsEmpty());
  EXPECT_THAT(worktrees_of(""), IsEmpty());
  write("broken/.git", "nonsense");
  EXPECT_THAT(worktrees_of(folder / "broken"), IsEmpty());
  write("lost/.git", "gitdir: /nowhere/at/all");
  EXPECT_THAT(worktrees_of(folder / "lost"), IsEmpty());
  write("main/.git/worktrees/odd/gitdir", "no path");
  write("main/.git/worktrees/none/x", "");
  EXPECT_THAT(worktrees_of(folder / "main"), ElementsAre(folder / "main"));
}

}  // namespace
}  // namespace holdfast::transcripts
