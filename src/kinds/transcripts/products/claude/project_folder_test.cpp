#include "kinds/transcripts/products/claude/project_folder.h"

#include "base/files/test_folder.h"
#include "base/text/text.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace holdfast::transcripts {
namespace {

TEST(ProjectFolder, NamesOfTheContract_1_1) {
  EXPECT_EQ(project_folder_name("/Users/chris/My Project.app"), "-Users-chris-My-Project-app");
  EXPECT_EQ(project_folder_name("/home/u/my_project"), "-home-u-my-project");
  EXPECT_EQ(project_folder_name("/home/u/.dot/~t"), "-home-u--dot--t");
  EXPECT_EQ(project_folder_name("/home/u/日本語"), "-home-u----");
  EXPECT_EQ(project_folder_name("/home/u/😀x"), "-home-u---x");
  EXPECT_EQ(project_folder_name("C:\\Users\\me\\Project"), "C--Users-me-Project");
  EXPECT_EQ(project_folder_name("/" + std::string(199, 'a')), "-" + std::string(199, 'a'));
  EXPECT_EQ(project_folder_name("/" + std::string(250, 'a')), "-" + std::string(199, 'a') + "-feo44x");
}

TEST(ProjectFolder, NamesTheRealClientMade_on_disk_2) {
  EXPECT_EQ(project_folder_name("/home/dev/w/mixed é_.-~ 日 x"), "-home-dev-w-mixed---------x");
  EXPECT_EQ(project_folder_name("/home/dev/w/emoji😀x"), "-home-dev-w-emoji--x");
  const std::string l = "/home/dev/w/", cut = "-home-dev-w-" + std::string(188, 'L');
  EXPECT_EQ(project_folder_name(l + std::string(188, 'L')), cut);
  EXPECT_EQ(project_folder_name(l + std::string(189, 'L')), cut + "-po754p");
  EXPECT_EQ(project_folder_name(l + std::string(190, 'L')), cut + "-ehwtdf");
  EXPECT_EQ(project_folder_name(l + std::string(240, 'L')), cut + "-xzta4t");
  std::string deep = l;
  for (int i = 0; i < 100; ++i) deep += "a/";
  EXPECT_TRUE(project_folder_name(deep + "z").ends_with("-rjxnxr"));
}

TEST(ProjectFolder, BytesThatAreNoTextCountOneEach) {
  EXPECT_EQ(project_folder_name("/a\xFF\xC3"
                                "b"),
            "-a--b");
}

TEST(ProjectFolder, AWholeNameIsComparedWholly) {
  EXPECT_TRUE(is_folder_of("-x-proj", "/x/proj"));
  EXPECT_TRUE(is_folder_of("-x-proj", "/x.proj"));
  EXPECT_FALSE(is_folder_of("-x-proj-foo", "/x/proj"));
}

TEST(ProjectFolder, TheHashOfACutNameIsNotTrusted_1_1) {
  const std::string path = "/" + std::string(250, 'a'), cut = "-" + std::string(199, 'a');
  EXPECT_TRUE(is_folder_of(cut + "-feo44x", path));
  EXPECT_TRUE(is_folder_of(cut + "-whatever", path));
  EXPECT_FALSE(is_folder_of(cut, path));
  EXPECT_FALSE(is_folder_of(cut + "a", path));
}

// The client on Linux names a folder by its letters as they are: "Cafe" + U+0301 + " dir".
TEST(ProjectFolder, P17BothFormsOfALetterAreFoundAndTheClientsIsWritten) {
  const std::string decomposed = "/home/dev/Cafe\xCC\x81 dir", composed = "/home/dev/Caf\xC3\xA9 dir";
  EXPECT_EQ(canonical_project(decomposed).value(), decomposed);
  EXPECT_EQ(project_folder_name(decomposed), "-home-dev-Cafe--dir");
  EXPECT_EQ(project_folder_name(composed), "-home-dev-Caf--dir");
  for (const std::string& path : {decomposed, composed})
    for (const std::string_view folder : {"-home-dev-Cafe--dir", "-home-dev-Caf--dir"}) EXPECT_TRUE(is_folder_of(folder, path));
  EXPECT_FALSE(is_folder_of("-home-dev-Cafe-dir", decomposed));
  EXPECT_EQ(project_folder_names(composed).front(), project_folder_name(composed));
  EXPECT_EQ(project_folder_names("/home/dev/plain").size(), 1U);
  // Hangul has the largest difference there is.
  const std::string syllables = "/\xEA\xB0\x81\xEA\xB0\x81";
  EXPECT_TRUE(is_folder_of(project_folder_name(to_nfd(syllables)), syllables));
  for (const std::string& path : {decomposed, composed}) {
    ProjectRoot root("-home-dev-Cafe--dir");
    root.see(path + "/sub/folder");
    EXPECT_EQ(root.root(), path);
  }
  ProjectRoot of_syllables(project_folder_name(syllables));
  of_syllables.see(to_nfd(syllables) + "/x");
  EXPECT_EQ(of_syllables.root(), to_nfd(syllables));
}

TEST(ProjectFolder, P31AProjectThatIsNotThereIsNone) {
  const TestFolder folder;
  EXPECT_EQ(existing_project(folder / "").value(), canonical_project(folder / "").value());
  EXPECT_EQ(existing_project(folder / "gone").error().kind, ErrorKind::not_found);
}

TEST(ProjectFolder, TheRealPathCounts) {
  const TestFolder folder;
  std::filesystem::create_directory(folder / "real");
  std::filesystem::create_directory_symlink("real", folder / "link");
  const std::string real = std::filesystem::canonical(folder / "real").string();
  EXPECT_EQ(canonical_project(folder / "link").value(), real);
  EXPECT_EQ(canonical_project(folder / "real/").value(), real);
  EXPECT_EQ(canonical_project(folder / "link/gone/../later").value(), real + "/later");
  EXPECT_FALSE(canonical_project("").has_value());
}

}  // namespace
}  // namespace holdfast::transcripts
