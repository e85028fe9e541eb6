#include "kinds/transcripts/home/home.h"

#include "kinds/transcripts/testing/test_home.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace holdfast::transcripts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names_in(const Home& home, std::string_view path) {
  std::vector<std::string> names;
  const auto entries = home.entries(path).value();
  for (const Home::Entry& entry : entries) names.push_back(entry.name);
  return names;
}

TEST(Home, Home_1_FolderFollowsTheVariableElseTheUsersHome) {
  EXPECT_EQ(Home::claude_folder(std::nullopt, "/home/u"), "/home/u/.claude");
  EXPECT_EQ(Home::claude_folder("", "/home/u"), "/home/u/.claude");
  EXPECT_EQ(Home::claude_folder("/else/where", ""), "/else/where");
  EXPECT_EQ(Home::claude_folder("/e\xCC\x81", ""), "/\xC3\xA9") << "NFC";
  EXPECT_EQ(Home::codex_folder(std::nullopt, "/home/u"), "/home/u/.codex");
  EXPECT_EQ(Home::codex_folder("/c", "/home/u"), "/c");
}

TEST(Home, MissingFolderIsEmptyNotAnError) {
  const TestFolder folder;
  const Home home = Home::open(folder / "none").value();
  EXPECT_TRUE(names_in(home, "projects").empty());
  EXPECT_EQ(home.stat("projects/x").value(), std::nullopt);
  EXPECT_EQ(home.open_file("projects/x").error().kind, ErrorKind::not_found);
  EXPECT_EQ(Home::open("relative").error().kind, ErrorKind::invalid);
}

TEST(Home, AreaThatWasRemovedAndMadeAgainIsFound) {
  const TestHome test;
  const Home home = test.home();
  test.write(".holdfast/x/1", "");
  ASSERT_TRUE(home.stat(".holdfast/x").value());
  std::filesystem::remove_all(test / ".holdfast");
  EXPECT_EQ(home.stat(".holdfast/x").value(), std::nullopt);
  test.write(".holdfast/y/1", "");
  EXPECT_THAT(names_in(home, ".holdfast"), ElementsAre("y"));
}

TEST(Home, LinkedHomeAndLinkedAreaAreFollowed_15) {
  const TestHome test;
  test.write("../elsewhere/-p/x.jsonl", "text");
  std::filesystem::create_symlink(test.outside() + "/elsewhere", test / "projects");
  std::filesystem::create_symlink(test.folder(), test.outside() + "/link");
  const Home home = Home::open(test.outside() + "/link").value();
  EXPECT_TRUE(home.open_file("projects/-p/x.jsonl"));
  EXPECT_THAT(names_in(home, "projects"), ElementsAre("-p"));
  EXPECT_TRUE(home.open_folder("projects"));
}

TEST(Home, Safety_8_1_NothingBelowAnAreaLeadsOutside) {
  const TestHome test;
  test.write("../secret", "secret");
  test.write("projects/-p/x.jsonl", "text");
  std::filesystem::create_symlink(test.outside() + "/secret", test / "projects/-p/link.jsonl");
  std::filesystem::create_symlink(test.outside(), test / "projects/out");
  std::filesystem::create_symlink("-p", test / "projects/inside");
  const Home home = test.home();
  for (const char* path : {"projects/-p/link.jsonl", "projects/out/secret", "projects/inside/x.jsonl", "projects/../../secret",
                           "projects/-p/../-p/x.jsonl", ".."})
    EXPECT_EQ(home.open_file(path).error().kind, ErrorKind::refused) << path;
  for (const char* path : {"", "/etc/passwd", "projects//x", "projects/./x", "projects/", "."})
    EXPECT_EQ(home.open_file(path).error().kind, ErrorKind::invalid) << path;
  EXPECT_EQ(home.open_file(std::string_view("projects/a\0b", 12)).error().kind, ErrorKind::invalid);
  EXPECT_TRUE(S_ISLNK(home.stat("projects/-p/link.jsonl").value()->st_mode)) << "a link is seen, not followed";
}

TEST(Home, OnlyRegularFilesAreOpenedAndNothingBlocks) {
  const TestHome test;
  test.write("projects/-p/x", "");
  ASSERT_EQ(::mkfifo((test / "projects/-p/fifo").c_str(), 0600), 0);
  const int server = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (test / "projects/-p/socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(server, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const Home home = test.home();
  for (const char* path : {"projects/-p/fifo", "projects/-p/socket", "projects/-p", "projects"})
    EXPECT_EQ(home.open_file(path).error().kind, ErrorKind::invalid) << path;
  ::close(server);
  std::vector<std::pair<std::string, int>> types;
  const auto entries = home.entries("projects/-p").value();
  for (const Home::Entry& entry : entries) types.emplace_back(entry.name, entry.type);
  EXPECT_THAT(types, ElementsAre(std::pair{"fifo", DT_FIFO}, std::pair{"socket", DT_SOCK}, std::pair{"x", DT_REG}));
}

TEST(Home, FilesAtTheTopAndMessagesThatNameThePlace) {
  const TestHome test;
  test.write("history.jsonl", "{}\n");
  const Home home = test.home();
  EXPECT_TRUE(home.open_file("history.jsonl"));
  EXPECT_EQ(home.absolute("projects/x"), test / "projects/x");
  EXPECT_THAT(home.open_file("projects/x").error().message, HasSubstr(test / "projects"));
  test.write("projects/-p/x", "");
  EXPECT_THAT(home.open_file("projects/-p/y").error().message, HasSubstr("-p/y"));
}

}  // namespace
}  // namespace holdfast::transcripts
