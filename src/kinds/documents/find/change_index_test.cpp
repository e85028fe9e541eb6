// document-review §7: a listing must not read every file each time, and must show one's own writes at once.

#include "kinds/documents/find/change_index.h"

#include "kinds/documents/files/test_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::documents {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct ChangeIndexTest : testing::Test {
  std::vector<std::string> paths(ChangeIndex& index, std::string_view below = "") {
    std::vector<std::string> found;
    const auto places = index.documents_with_changes(kb.library(), below, {});
    EXPECT_TRUE(places);
    if (places)
      for (const Place& place : *places) found.push_back(place.path);
    return found;
  }
  TestLibrary kb;
};

TEST_F(ChangeIndexTest, ReadsOnlyWhatChanged) {
  kb.write("a.md", "quiet\n");
  kb.write("b.md", "{++new++}\n");
  kb.write("c.json", "{++not reviewed++}\n");
  ChangeIndex index(std::chrono::seconds(0));
  EXPECT_THAT(paths(index), ElementsAre("b.md"));
  EXPECT_EQ(index.files_read(), 2U);
  EXPECT_THAT(paths(index), ElementsAre("b.md"));
  EXPECT_EQ(index.files_read(), 2U) << "nothing has changed";
  kb.write("a.md", "{--loud--}\n");
  EXPECT_THAT(paths(index), ElementsAre("a.md", "b.md"));
  EXPECT_EQ(index.files_read(), 3U);
  std::filesystem::remove(kb / "b.md");
  EXPECT_THAT(paths(index), ElementsAre("a.md"));
}

TEST_F(ChangeIndexTest, AnotherProcessGoesOnWithWhatIsKnown) {
  kb.write("a.md", "{++new++}\n");
  kb.write("b.md", "quiet\n");
  {
    ChangeIndex index(std::chrono::seconds(0));
    paths(index);
  }
  ChangeIndex other(std::chrono::seconds(0));
  EXPECT_THAT(paths(other), ElementsAre("a.md"));
  EXPECT_EQ(other.files_read(), 0U);
}

TEST_F(ChangeIndexTest, AYoungFileIsReadAgain) {
  kb.write("a.md", "quiet\n");
  ChangeIndex index(std::chrono::hours(1));
  EXPECT_THAT(paths(index), IsEmpty());
  EXPECT_THAT(paths(index), IsEmpty());
  EXPECT_EQ(index.files_read(), 2U);
}

TEST_F(ChangeIndexTest, AStampThatWasPutBackDeceivesNobody) {
  kb.write("a.md", "quiet quiet\n");
  ChangeIndex index(std::chrono::seconds(0));
  EXPECT_THAT(paths(index), IsEmpty());
  const auto before = std::filesystem::last_write_time(kb / "a.md");
  kb.write("a.md", "{++loud++} \n");
  std::filesystem::last_write_time(kb / "a.md", before);
  EXPECT_THAT(paths(index), ElementsAre("a.md"));
}

TEST_F(ChangeIndexTest, BelowAFolderAndADamagedCache) {
  kb.write("x/a.md", "{++new++}\n");
  kb.write("y/a.md", "{++new++}\n");
  ChangeIndex index(std::chrono::seconds(0));
  EXPECT_THAT(paths(index, "x"), ElementsAre("x/a.md"));
  for (const auto& entry : std::filesystem::directory_iterator(kb.state()))
    if (entry.path().filename().string().starts_with("changes-")) {
      EXPECT_TRUE(replace_file(entry.path(), "{broken"));
    }
  ChangeIndex other(std::chrono::seconds(0));
  EXPECT_THAT(paths(other), ElementsAre("x/a.md", "y/a.md"));
}

}  // namespace
}  // namespace holdfast::documents
