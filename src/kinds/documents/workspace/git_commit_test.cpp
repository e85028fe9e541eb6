// document-review §7 (Git) and design 8.29, with the real git.

#include "kinds/documents/workspace/git_commit.h"

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/text/text.h"
#include "net/run/child.h"

#include <gmock/gmock.h>

#include <filesystem>

namespace holdfast::documents {
namespace {

using ::testing::HasSubstr;

class GitCommit : public ::testing::Test {
 protected:
  void SetUp() override {
    git({"init", "--quiet", "--initial-branch=main", "."});
    git({"config", "user.name", "Someone Else"});
    git({"config", "user.email", "else@example.org"});
    write("a.md", "one\n");
    write("other.md", "other\n");
    git({"add", "."});
    git({"commit", "--quiet", "-m", "begin"});
  }

  std::string git(std::vector<std::string> arguments) {
    net::ChildCall call;
    call.arguments = {"git", "-C", folder_.path()};
    std::ranges::move(arguments, std::back_inserter(call.arguments));
    auto result = net::run_child(call);
    if (!result) return result.error().message;
    return std::string(trim(result->output));
  }

  void write(const std::string& name, std::string_view text, mode_t mode = 0644) {
    std::filesystem::create_directories(std::filesystem::path(folder_ / name).parent_path());
    ASSERT_TRUE(replace_file(folder_ / name, text, mode));
  }

  CommitRequest request(std::string relative) {
    CommitRequest made;
    made.folder = folder_.path();
    made.relative = std::move(relative);
    made.name = "Ada Reviewer";
    made.email = "ada@example.org";
    made.proposers = {"dev's AI"};
    made.sessions = {"1f2e3d4c"};
    made.changes = 3;
    return made;
  }

  TestFolder folder_;
};

TEST_F(GitCommit, ReviewerIsAuthorAndCommitterProposerIsATrailer) {
  write("a.md", "two\n");
  const auto hash = commit_file(request("a.md"));
  ASSERT_TRUE(hash) << hash.error().message;
  EXPECT_EQ(*hash, git({"rev-parse", "HEAD"}));
  EXPECT_EQ(git({"log", "-1", "--format=%an <%ae>, %cn <%ce>"}),
            "Ada Reviewer <ada@example.org>, Ada Reviewer <ada@example.org>");
  EXPECT_EQ(git({"log", "-1", "--format=%s"}), "Accept 3 changes to a.md");
  EXPECT_EQ(git({"log", "-1", "--format=%(trailers)"}), "Proposed-by: dev's AI\nHoldfast-Session: 1f2e3d4c");
  EXPECT_EQ(git({"show", "HEAD:a.md"}), "two");
}

TEST_F(GitCommit, OtherStagedChangesStayStaged) {
  write("a.md", "two\n");
  write("other.md", "staged\n");
  git({"add", "other.md"});
  write("other.md", "and not staged\n");
  ASSERT_TRUE(commit_file(request("a.md")));
  EXPECT_EQ(git({"show", "--name-only", "--format=", "HEAD"}), "a.md");
  EXPECT_EQ(git({"show", ":other.md"}), "staged");
  EXPECT_EQ(git({"status", "--porcelain"}), "MM other.md");
}

TEST_F(GitCommit, AFolderBelowTheRootOfTheWorkTree) {
  write("notes/deep/b.md", "new\n");
  CommitRequest made = request("deep/b.md");
  made.folder = folder_ / "notes";
  ASSERT_TRUE(commit_file(made));
  EXPECT_EQ(git({"show", "HEAD:notes/deep/b.md"}), "new");
}

TEST_F(GitCommit, ANewFileAndARemovedOne) {
  write("with space [x]*.md", "new\n");
  ASSERT_TRUE(commit_file(request("with space [x]*.md")));
  std::filesystem::remove(folder_ / "a.md");
  ASSERT_TRUE(commit_file(request("a.md")));
  EXPECT_EQ(git({"ls-files"}), "other.md\nwith space [x]*.md");
}

TEST_F(GitCommit, AlreadyAsCommittedIsNoCommit) {
  const std::string head = git({"rev-parse", "HEAD"});
  EXPECT_EQ(commit_file(request("a.md")).value(), "");
  EXPECT_EQ(git({"rev-parse", "HEAD"}), head);
}

TEST_F(GitCommit, AHookThatSaysNoIsReportedAndNothingIsCommitted) {
  write(".git/hooks/pre-commit", "#!/bin/sh\necho 'spelling is wrong' >&2\nexit 1\n", 0755);
  const std::string head = git({"rev-parse", "HEAD"});
  write("a.md", "two\n");
  write("new.md", "new\n");
  for (const char* name : {"a.md", "new.md"}) {
    const auto hash = commit_file(request(name));
    ASSERT_FALSE(hash);
    EXPECT_EQ(hash.error().code, "not_committed");
    EXPECT_THAT(hash.error().message, HasSubstr("spelling is wrong"));
  }
  EXPECT_EQ(git({"rev-parse", "HEAD"}), head);
  EXPECT_EQ(git({"status", "--porcelain"}), "M a.md\n?? new.md");
}

TEST_F(GitCommit, IgnoredFilesAndPlainFoldersAreRefused) {
  write(".gitignore", "*.txt\n");
  write("a.txt", "x\n");
  const auto ignored = commit_file(request("a.txt"));
  ASSERT_FALSE(ignored);
  EXPECT_THAT(ignored.error().message, HasSubstr("git ignores it"));

  const TestFolder plain;
  CommitRequest made = request("a.md");
  made.folder = plain.path();
  const auto refused = commit_file(made);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("no git work tree"));
}

TEST_F(GitCommit, ConfigurationOfGitFillsWhatTheReviewerDoesNotSay) {
  write("a.md", "two\n");
  CommitRequest made = request("a.md");
  made.name.clear();
  made.email.clear();
  ASSERT_TRUE(commit_file(made));
  EXPECT_EQ(git({"log", "-1", "--format=%an <%ae>"}), "Someone Else <else@example.org>");
}

TEST_F(GitCommit, MergeMarkersAreSeen) {
  const auto seen = [&](std::string_view text) { return has_merge_markers(folder_.path(), "a.md", text).value(); };
  EXPECT_TRUE(seen("x\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> branch\n"));
  EXPECT_TRUE(seen("<<<<<<< HEAD\r\na\r\n=======\r\nb\r\n>>>>>>> branch\r\n"));
  EXPECT_FALSE(seen("Title\n=======\n"));
  EXPECT_FALSE(seen("text with <<<<<<< HEAD in a line\n=======\n>>>>>>> x\n"));
  EXPECT_FALSE(seen(""));
}

TEST_F(GitCommit, AnUnmergedFileIsSeenAndNotCommittedWhateverItsText) {
  git({"checkout", "--quiet", "-b", "side"});
  write("a.md", "side\n");
  git({"commit", "--quiet", "-am", "side"});
  git({"checkout", "--quiet", "main"});
  write("a.md", "main\n");
  git({"commit", "--quiet", "-am", "main"});
  git({"merge", "--quiet", "side"});
  write("a.md", "resolved by hand, not yet added\n");
  EXPECT_TRUE(has_merge_markers(folder_.path(), "a.md", "resolved by hand, not yet added\n").value());
  const auto refused = commit_file(request("a.md"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("merge of it is not finished"));
}

TEST_F(GitCommit, TheWorkTreeOfAFolder) {
  write("notes/deep/b.md", "new\n");
  const std::string root = std::filesystem::canonical(folder_.path()).string();
  EXPECT_EQ(find_work_tree(folder_ / "notes/deep"), root);
  const TestFolder plain;
  EXPECT_EQ(find_work_tree(plain.path()), std::nullopt);
}

}  // namespace
}  // namespace holdfast::documents
