#include "cli/arguments/typed_path.h"

#include "base/files/file.h"
#include "base/files/test_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace holdfast::cli {
namespace {

struct TypedPath : testing::Test {
  TypedPath() {
    for (const char* folder : {"kb/sub/sub", "kb/notes", "second", "elsewhere/notes"})
      std::filesystem::create_directories(home + "/" + folder);
    for (const char* file : {"kb/a.md", "kb/sub/a.md", "kb/sub/sub/b.md", "second/c.md"})
      EXPECT_TRUE(replace_file(home + "/" + file, "text"));
    open({{"kb", home + "/kb", false}});
  }
  void open(std::vector<documents::LibraryFolder> folders) {
    documents::LibrarySettings settings;
    settings.folders = std::move(folders);
    settings.state_folder = home + "/state";
    library = documents::Library::open(std::move(settings)).value();
  }
  std::string typed(const std::string& word, const std::string& folder) {
    const auto path = typed_path(*library, word, home + "/" + folder);
    return path ? *path : std::string(path.error().word());
  }

  TestFolder folder_of_test;
  const std::string home = std::filesystem::canonical(folder_of_test.path()).string();
  std::unique_ptr<documents::Library> library;
};

TEST_F(TypedPath, IsMeantFromTheCurrentFolderOn) {
  EXPECT_EQ(typed(".", "kb/sub"), "sub");
  EXPECT_EQ(typed("./", "kb/sub"), "sub");
  EXPECT_EQ(typed("./a.md", "kb/sub"), "sub/a.md");
  EXPECT_EQ(typed("a.md", "kb/sub"), "sub/a.md");
  EXPECT_EQ(typed("sub", "kb/sub"), "sub/sub");
  EXPECT_EQ(typed("sub/", "kb/sub"), "sub/sub");
  EXPECT_EQ(typed("../a.md", "kb/sub"), "a.md");
  EXPECT_EQ(typed("..", "kb/sub"), ".");
  EXPECT_EQ(typed("..", "kb/sub/sub"), "sub");
  EXPECT_EQ(typed(home + "/kb/sub", "elsewhere"), "sub");
  EXPECT_EQ(typed("", "kb/sub"), "");
}

TEST_F(TypedPath, ElseIsAPathOfTheLibrary) {
  EXPECT_EQ(typed("sub/a.md", "kb/sub"), "sub/a.md");
  EXPECT_EQ(typed("sub/a.md", "elsewhere"), "sub/a.md");
  EXPECT_EQ(typed("notes", "elsewhere"), "notes") << "the one beside it is no document";
  EXPECT_EQ(typed("none.md", "elsewhere"), "none.md") << "whoever looks for it says so";
}

TEST_F(TypedPath, WhatIsOnlyProposedIsNotThereYet) {
  EXPECT_EQ(typed("new.json", "kb/sub"), "sub/new.json");
  EXPECT_EQ(typed("./new.json", "kb/sub"), "sub/new.json");
}

TEST_F(TypedPath, ThatBeginsElsewhereIsNeverTheWholeLibrary) {
  EXPECT_EQ(typed(".", "elsewhere"), "no_such_document");
  EXPECT_EQ(typed("./a.md", "elsewhere"), "no_such_document");
  EXPECT_EQ(typed("../second", "kb"), "no_such_document");
  EXPECT_EQ(typed("/nowhere", "kb"), "no_such_document");
  EXPECT_EQ(typed("..", "kb"), ".") << "all of it lies there";
}

TEST_F(TypedPath, OfSeveralFoldersBeginsWithTheName) {
  open({{"kb", home + "/kb", false}, {"2nd", home + "/second", false}});
  EXPECT_EQ(typed(".", "second"), "2nd");
  EXPECT_EQ(typed("c.md", "second"), "2nd/c.md");
  EXPECT_EQ(typed("2nd/c.md", "second"), "2nd/c.md");
  EXPECT_EQ(typed("../kb/sub", "second"), "kb/sub");
  EXPECT_EQ(typed("second", "."), "2nd");
  EXPECT_EQ(typed(".", "."), ".");
}

}  // namespace
}  // namespace holdfast::cli
