#include "kinds/transcripts/home/find.h"

#include "kinds/transcripts/products/claude/project_folder.h"
#include "kinds/transcripts/testing/test_home.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::transcripts {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kFoundOne = "abcd1111-2222-4333-8444-555555555555";
constexpr const char* kFoundTwo = "abcd9999-2222-4333-8444-555555555555";

class FindTest : public testing::Test {
 protected:
  void add(const std::string& project, const std::string& id, const std::string& text = "{}\n") {
    test.write("projects/" + project + "/" + id + ".jsonl", text);
  }
  std::string project(const std::string& name) {  // a folder that exists, so that its path is canonical
    std::filesystem::create_directories(test.outside() + "/" + name);
    return std::filesystem::canonical(test.outside() + "/" + name).string();
  }

  TestHome test;
  Home home = test.home();
};

TEST_F(FindTest, FullIdAndUniquePrefixOfAnyLength) {
  add("-p", kFoundOne);
  add("-q", kFoundTwo);
  EXPECT_EQ(find_session(home, kFoundOne).value().place, (SessionPlace{kFoundOne, "-p"}));
  EXPECT_EQ(find_session(home, "abcd9").value().place, (SessionPlace{kFoundTwo, "-q"}));
  EXPECT_EQ(find_session(home, "ABCD1").value().place.session_id, kFoundOne);
  EXPECT_EQ(find_session(home, "abcd9").value().size, 3U);
}

TEST_F(FindTest, WhatIsNoStartOfAnIdIsInvalid) {
  for (const char* text : {"", "xyz", "abcd1111x", "../x", "abcd1111-2222-4333-8444-5555555555550", "*"})
    EXPECT_EQ(find_session(home, text).error().kind, ErrorKind::invalid) << text;
}

TEST_F(FindTest, NotFoundNamesTheFolderSearched) {
  add("-p", kFoundOne);
  EXPECT_THAT(find_session(home, kFoundTwo).error().message, HasSubstr(test / "projects"));
  const Error error = find_session(home, kFoundOne, "/some/where").error();
  EXPECT_EQ(error.kind, ErrorKind::not_found);
  EXPECT_THAT(error.message, HasSubstr("projects/-some-where"));
}

TEST_F(FindTest, AmbiguousListsEachMatch) {
  add("-p", kFoundOne, "{}\n{}\n");
  add("-q", kFoundTwo);
  const Error error = find_session(home, "abcd").error();
  EXPECT_EQ(error.kind, ErrorKind::ambiguous);
  EXPECT_THAT(error.message, AllOf(HasSubstr(kFoundOne), HasSubstr(kFoundTwo), HasSubstr("6 bytes, 2 lines"),
                                   HasSubstr("1 lines"), HasSubstr("-p")));
}

TEST_F(FindTest, SameIdInTwoProjectsIsAmbiguousUnlessTheProjectDecides) {
  const std::string here = project("here");
  add(project_folder_name(here), kFoundOne);
  add("-q", kFoundOne);
  EXPECT_EQ(find_session(home, kFoundOne).error().kind, ErrorKind::ambiguous);
  EXPECT_THAT(find_session(home, kFoundOne).error().hint, HasSubstr("project"));
  EXPECT_EQ(find_session(home, kFoundOne, here).value().place.project_folder, project_folder_name(here));
}

TEST_F(FindTest, Home_1_1_ShortPathsByEqualityNotByPrefix) {
  const std::string here = project("proj");
  add(project_folder_name(here + "-foo"), kFoundOne);
  EXPECT_THAT(folders_of_project(home, here).value(), IsEmpty());
  EXPECT_THAT(all_sessions(home, here).value(), IsEmpty());
  EXPECT_EQ(all_sessions(home).value().size(), 1U);
}

TEST_F(FindTest, Home_1_1_LongPathsWhateverTheHash) {
  const std::string path = "/" + std::string(250, 'a');
  const std::string cut = "-" + std::string(199, 'a');
  EXPECT_EQ(folder_for_project(home, path).value(), cut + "-feo44x") << "none exists: ours";
  add(cut + "-bun5hash", kFoundOne);
  EXPECT_EQ(folder_for_project(home, path).value(), cut + "-bun5hash");
  add(cut, kFoundOne);
  EXPECT_THAT(folders_of_project(home, path).value(), ElementsAre(cut + "-bun5hash"));
  add(cut + "-feo44x", kFoundTwo);
  EXPECT_EQ(folder_for_project(home, path).value(), cut + "-feo44x");
  EXPECT_EQ(all_sessions(home, path).value().size(), 2U);
}

TEST_F(FindTest, OnlyRegularFilesNamedByAUuidAreSessions) {
  add("-p", kFoundOne);
  add("-p", "agent-a1");
  add("-p", "notes");
  test.write("projects/-p/" + std::string(kFoundTwo) + ".jsonl.bak", "");
  test.write("projects/-p/" + std::string(kFoundTwo) + "/subagents/x", "");
  test.write("projects/loose.jsonl", "");
  std::filesystem::create_symlink(test / ("projects/-p/" + std::string(kFoundOne) + ".jsonl"),
                                  test / ("projects/-p/" + std::string(kFoundTwo) + ".jsonl"));
  std::filesystem::create_directory_symlink("-p", test / "projects/-linked");
  EXPECT_EQ(all_sessions(home).value().size(), 1U);
}

}  // namespace
}  // namespace holdfast::transcripts
