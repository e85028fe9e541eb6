#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "kinds/transcripts/remote/remote.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace holdfast::transcripts {
namespace {

// A `gh` of our own in front of whatever is installed.
class GithubToken : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("PATH", (folder_.path() + ":" + path_).c_str(), 1); }
  void TearDown() override { ::setenv("PATH", path_.c_str(), 1); }
  void gh_is(const std::string& script) { ASSERT_TRUE(replace_file(folder_ / "gh", "#!/bin/sh\n" + script + '\n', 0700)); }
  static std::optional<std::string> nothing(const std::string&) { return std::nullopt; }

  std::string path_ = std::getenv("PATH");
  TestFolder folder_;
};

TEST_F(GithubToken, Gist_9_OptionThenEnvironmentThenGh) {
  gh_is("[ \"$*\" = 'auth token' ] && echo from-gh");
  const auto environment = [](const std::string& name) {
    return name == "GITHUB_TOKEN" ? std::optional<std::string>(" from-env\n") : std::nullopt;
  };
  EXPECT_EQ(find_github_token("from-option", environment), "from-option");
  EXPECT_EQ(find_github_token("", environment), "from-env");
  EXPECT_EQ(find_github_token("", nothing), "from-gh");
}

TEST_F(GithubToken, Gist_9_WithoutOneThereIsNone) {
  ::setenv("PATH", folder_.path().c_str(), 1);
  EXPECT_EQ(find_github_token("", nothing), "");  // no gh
  ::setenv("PATH", (folder_.path() + ":" + path_).c_str(), 1);
  gh_is("echo 'no oauth token found' >&2; exit 1");
  EXPECT_EQ(find_github_token("", nothing), "");
  gh_is("echo a b");
  EXPECT_EQ(find_github_token("", nothing), "");
  gh_is("printf 'a\\033b'");
  EXPECT_EQ(find_github_token("", nothing), "");
}

}  // namespace
}  // namespace holdfast::transcripts
