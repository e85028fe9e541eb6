#include "kinds/transcripts/archive/archive_writer.h"
#include "kinds/transcripts/testing/test_session.h"
#include "kinds/transcripts/testing/test_tree.h"
#include "kinds/transcripts/verbs/copy.h"

#include <gmock/gmock.h>

#include <fcntl.h>

namespace holdfast::transcripts {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class RestoreTest : public testing::Test {
 protected:
  void SetUp() override {
    const FoundSession session = TestSession::write(files_);
    before_ = tree_of(files_.folder());
    ArchiveOptions options;
    options.with_history = true;
    options.machine_id = "me@here";
    const auto source = source_on_disk(home_, session.place);
    const auto written = write_archive(*source, source->inventory().value(), TestSession::kProject, archive_, options);
    ASSERT_TRUE(written) << written.error().message;
  }

  Result<CopyResult> restore(const CopyOptions& options) {
    HF_TRY(const auto archive, source_in_archive(Fd(::open(archive_.c_str(), O_RDONLY | O_CLOEXEC)), archive_, files_.outside()));
    return copy_session(home_, *archive, options, TestHome::kNow);
  }
  static CopyOptions in_place() {
    CopyOptions options;
    options.in_place = true;
    options.trusted = true;
    options.current_folder = "/somewhere/else";
    return options;
  }
  CopyOptions as_copy() {
    CopyOptions options;
    options.current_folder = files_.outside() + "/here";
    return options;
  }
  // Everything but the archive goes, as after a delete.
  void empty_home() {
    std::filesystem::remove_all(files_.folder());
    std::filesystem::create_directory(files_.folder());
  }

  TestHome files_;
  Home home_ = files_.home();
  std::string archive_ = files_.outside() + "/archive.json.zst";
  std::map<std::string, std::string> before_;
};

TEST_F(RestoreTest, Restore_4_4_InPlaceIsBitForBit) {
  empty_home();
  const auto result = restore(in_place());
  ASSERT_TRUE(result) << result.error().message;
  // Areas and the project folder are made anew, mode 0700; the rest is the session's own.
  auto expected = before_;
  auto restored = tree_of(files_.folder());
  for (auto* tree : {&expected, &restored}) {
    std::erase_if(*tree, [](const auto& entry) { return !entry.first.contains(TestSession::kId) && entry.second[0] == '4'; });
  }
  EXPECT_EQ(restored, expected);
  EXPECT_TRUE(result->was_in_place);
  EXPECT_EQ(result->new_session_id, TestSession::kId);
  EXPECT_EQ(result->project_path, TestSession::kProject) << "not the folder we are in";
  EXPECT_EQ(result->custom_title, "A title");
  EXPECT_EQ(result->source_machine_id, "me@here");
  EXPECT_THAT(result->left_out, IsEmpty());
}

TEST_F(RestoreTest, Restore_1_3_TimesAreFresh) {
  empty_home();
  ASSERT_TRUE(restore(in_place()));
  EXPECT_GT(home_.stat(TestSession::place().transcript()).value()->st_mtim.tv_sec, 1'700'000'000);
}

TEST_F(RestoreTest, Restore_2_InPlaceRefusesWhatExists) {
  std::filesystem::remove(files_ / TestSession::place().transcript());
  const auto before = tree_of(files_.folder(), true);
  const auto result = restore(in_place());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::conflict);
  EXPECT_THAT(result.error().message, HasSubstr("and "));
  EXPECT_EQ(tree_of(files_.folder(), true), before);
}

TEST_F(RestoreTest, P12AnIdThatLivesInAnotherProjectIsNotMadeTwice) {
  empty_home();
  const std::string there = std::string("projects/-home-dev-other/") + TestSession::kId + ".jsonl";
  files_.write(there, "{}\n");
  const auto before = tree_of(files_.folder(), true);
  std::vector<CopyOptions> tries{in_place(), in_place(), as_copy()};
  tries[1].target_project = files_.outside() + "/moved";
  tries[2].new_session_id = TestSession::kId;
  for (const CopyOptions& options : tries) {
    const auto result = restore(options);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::conflict);
    EXPECT_THAT(result.error().message, HasSubstr(there));
    EXPECT_EQ(tree_of(files_.folder(), true), before);
  }
  EXPECT_TRUE(restore(as_copy())) << "a copy has an id of its own";
}

TEST_F(RestoreTest, P13WhatIsThereAsTheArchiveHasItIsRestored) {
  const auto before = tree_of(files_.folder(), true);
  const CopyOptions options = in_place();
  const auto result = restore(options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->was_there);
  EXPECT_EQ(result->main_records, 4U);
  EXPECT_EQ(tree_of(files_.folder(), true), before);
  for (const std::string& path : {TestSession::place().transcript(), TestSession::in_folder("tool-results/b1.txt")}) {
    const std::string text = files_.read(path);
    files_.write(path, text + "other");
    EXPECT_EQ(restore(options).error().kind, ErrorKind::conflict) << "another archive of the same session";
    files_.write(path, text);
  }
  std::filesystem::remove(files_ / TestSession::in_folder("tool-results/b1.txt"));
  EXPECT_EQ(restore(options).error().kind, ErrorKind::conflict);
}

TEST_F(RestoreTest, InPlaceKeepsAPlanThatIsThereAlready) {
  empty_home();
  const std::string plan = std::string("plans/") + TestSession::kSlug + ".md";
  files_.write(plan, "# plan");
  const auto result = restore(in_place());
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(result->left_out, Contains(HasSubstr(plan)));
}

TEST_F(RestoreTest, InPlaceRefusesAPlanWithOtherContent) {
  for (const char* const other : {"# plan that went on", "# plab", "# pla", ""}) {
    empty_home();
    files_.write(std::string("plans/") + TestSession::kSlug + ".md", other);
    const auto before = tree_of(files_.folder(), true);
    const auto result = restore(in_place());
    ASSERT_FALSE(result) << other;
    EXPECT_EQ(result.error().kind, ErrorKind::conflict);
    EXPECT_EQ(tree_of(files_.folder(), true), before);
  }
}

TEST_F(RestoreTest, Restore_5_InPlaceInAnotherProjectChangesPathsOnly) {
  empty_home();
  CopyOptions options = in_place();
  options.target_project = files_.outside() + "/moved";
  const auto result = restore(options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->new_session_id, TestSession::kId);
  const std::string text = read_file(result->main_session_file).value();
  EXPECT_THAT(text, HasSubstr("\"cwd\":\"" + files_.outside() + "/moved/sub\""));
  EXPECT_THAT(text, HasSubstr(TestSession::kId));
  EXPECT_THAT(text, HasSubstr("\"customTitle\":\"A title\""));
}

TEST_F(RestoreTest, Restore_5_InPlaceWithTheSameTargetIsBitForBit) {
  const std::string text = files_.read(TestSession::place().transcript());
  empty_home();
  CopyOptions options = in_place();
  options.target_project = TestSession::kProject;
  const auto result = restore(options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(files_.read(TestSession::place().transcript()), text);
}

TEST_F(RestoreTest, Restore_5_ACopyHasIdsOfItsOwnBesideTheOriginal) {
  const auto before = tree_of(files_.folder(), true);
  const auto result = restore(as_copy());
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_NE(result->new_session_id, TestSession::kId);
  EXPECT_EQ(result->original_session_id, TestSession::kId);
  EXPECT_EQ(result->project_path, files_.outside() + "/here");
  EXPECT_THAT(result->custom_title, HasSubstr("A title (clone-"));
  const std::string text = read_file(result->main_session_file).value();
  EXPECT_THAT(text, Not(HasSubstr(TestSession::kId)));
  EXPECT_THAT(text, Not(HasSubstr("\"slug\":\"brave-new-plan\""))) << "each session has its own plan";
  EXPECT_TRUE(text.ends_with("\n"));
  const auto after = tree_of(files_.folder(), true);
  for (const auto& [path, content] : before) {
    if (content.starts_with("100")) {
      EXPECT_EQ(after.at(path), content) << path;
    }
  }
  EXPECT_TRUE(home_.stat("session-env/" + result->new_session_id).value()) << "made, however empty";
}

TEST_F(RestoreTest, Restore_8_3_SessionEnvOnlyWhenTrustedOrAsked) {
  struct Case {
    SessionEnv asked;
    bool trusted, restored;
  };
  for (const Case& each : {Case{SessionEnv::if_trusted, false, false}, Case{SessionEnv::if_trusted, true, true},
                           Case{SessionEnv::always, false, true}, Case{SessionEnv::never, true, false}}) {
    CopyOptions options = as_copy();
    options.session_env = each.asked;
    options.trusted = each.trusted;
    const auto result = restore(options);
    ASSERT_TRUE(result) << result.error().message;
    const auto script = home_.stat("session-env/" + result->new_session_id + "/hook-1.sh").value();
    EXPECT_EQ(script.has_value(), each.restored);
    EXPECT_EQ(result->left_out.empty(), each.restored);
  }
}

TEST_F(RestoreTest, ADamagedArchiveLeavesNothing) {
  std::string bytes = read_file(archive_).value();
  bytes.resize(bytes.size() - 40);
  replace_file(archive_, bytes).value();
  empty_home();
  EXPECT_FALSE(restore(in_place()));
  EXPECT_THAT(tree_of(files_.folder()), IsEmpty());
}

TEST_F(RestoreTest, DryRunWritesNothing) {
  empty_home();
  CopyOptions options = in_place();
  options.dry_run = true;
  const auto result = restore(options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->main_records, 4U);
  EXPECT_THAT(tree_of(files_.folder()), IsEmpty());
}

}  // namespace
}  // namespace holdfast::transcripts
