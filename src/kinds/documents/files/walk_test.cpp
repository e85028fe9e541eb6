#include "kinds/documents/files/walk.h"

#include "kinds/documents/files/test_library.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <sys/stat.h>

#include <atomic>
#include <thread>

namespace holdfast::documents {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> walked(TestLibrary& files, std::string below = "") {
  WalkOptions options;
  options.below = std::move(below);
  const auto found = walk(files.library(), options);
  std::vector<std::string> paths;
  for (const WalkedFile& file : found.value()) paths.push_back(file.place.path);
  return paths;
}

TEST(Walk, BytewiseAndWithStamps) {
  TestLibrary files;
  for (const char* path : {"b", "a/x", "a-b", "a.md", "a/y/z", "a0/x", "a/y-z"}) files.write(path, "12345");
  EXPECT_THAT(walked(files), ElementsAre("a-b", "a.md", "a/x", "a/y-z", "a/y/z", "a0/x", "b"));
  const auto all = walk(files.library(), {}).value();
  for (const WalkedFile& file : all) {
    struct stat status{};
    ASSERT_EQ(::stat(file.place.key.c_str(), &status), 0);
    EXPECT_EQ(file.size, 5U);
    EXPECT_EQ(file.inode, status.st_ino);
    EXPECT_EQ(file.modified_ns, status.st_ctim.tv_sec * 1'000'000'000LL + status.st_ctim.tv_nsec);
    const Place place = files.find(file.place.path);
    EXPECT_EQ(place.key, file.place.key);
    EXPECT_EQ(place.relative, file.place.relative);
    EXPECT_EQ(place.reviewed, file.place.reviewed);
  }
}

TEST(Walk, LeavesOutWhatIsNoDocument) {
  TestLibrary files(true);
  for (const char* path : {"a.md", ".env", ".git/config", "sub/.hidden/x", "state/journal.md", "x\ny.md", "bad\xff.md"})
    files.write(path, "x");
  files.link("a.md", "link.md");
  files.link(files.outside(), "outside");
  files.write_outside("secret.md", "x");
  ASSERT_EQ(::mkfifo((files / "fifo").c_str(), 0600), 0);
  EXPECT_THAT(walked(files), ElementsAre("a.md"));
}

// As git does: `git check-ignore` of the same tree answers the same.
TEST(Walk, FollowsIgnoreRules) {
  TestLibrary files;
  for (const char* path : {"a.log", "keep.log", "build/x.md", "sub/a.log", "sub/special.txt", "sub/other.txt",
                           "sub/deep/special.txt", "sub/deep/taken.log", "top.txt", "excluded.md"})
    files.write(path, "x");
  files.write(".gitignore", "*.log\n!keep.log\nbuild/\n/top.txt\n");
  files.write("sub/.gitignore", "/special.txt\n!taken.log\n");
  files.write(".git/info/exclude", "excluded.md\n");
  const std::vector<std::string> sub = {"sub/deep/special.txt", "sub/deep/taken.log", "sub/other.txt"};
  EXPECT_THAT(walked(files), ElementsAre("keep.log", sub[0], sub[1], sub[2]));
  EXPECT_EQ(walked(files, "sub"), sub);
  EXPECT_THAT(walked(files, "sub/deep"), ElementsAre(sub[0], sub[1]));
  // Named itself it is no more there than in a listing.
  for (const char* path : {"build", "a.log", "excluded.md"}) {
    WalkOptions options;
    options.below = path;
    EXPECT_EQ(code_of(walk(files.library(), options)), "no_such_document") << path;
  }
}

TEST(Walk, BelowAndErrors) {
  TestLibrary files;
  files.write("a/b/c.md", "x");
  files.write("a/d.md", "x");
  files.link("a/b", "link");
  EXPECT_THAT(walked(files, "a/b"), ElementsAre("a/b/c.md"));
  EXPECT_THAT(walked(files, "link"), ElementsAre("a/b/c.md"));
  EXPECT_THAT(walked(files, "a/d.md"), ElementsAre("a/d.md"));
  WalkOptions options;
  options.below = "nothing";
  EXPECT_EQ(code_of(walk(files.library(), options)), "no_such_document");
  options = {};
  options.cancelled = [] { return true; };
  EXPECT_EQ(code_of(walk(files.library(), options)), "cancelled");
}

TEST(Walk, SeveralFolders) {
  TestLibrary files;
  files.write("a.md", "x");
  files.write_outside("b.md", "x");
  files.settings().folders.push_back({"a-first", files.outside(), false});
  files.reopen();
  EXPECT_THAT(walked(files), ElementsAre("a-first/b.md", "kb/a.md"));
  EXPECT_THAT(walked(files, "kb"), ElementsAre("kb/a.md"));
}

// Enough folders that several threads work; somebody makes and removes others meanwhile.
TEST(Walk, ManyFoldersInOrder) {
  TestLibrary files;
  std::vector<std::string> expected;
  for (int i = 0; i < 300; ++i) {
    expected.push_back(fmt::format("f{}/s{}/a.md", i, i % 7));
    files.write(expected.back(), "x");
  }
  std::ranges::sort(expected);
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (!stop) {
      files.write("zz/1/2/3/.x", "x");
      std::filesystem::remove_all(files / "zz");
    }
  });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(walked(files), expected);
  stop = true;
  other.join();
}

}  // namespace
}  // namespace holdfast::documents
