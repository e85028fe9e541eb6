#include "kinds/transcripts/verbs/erase.h"

#include "kinds/transcripts/testing/test_session.h"
#include "kinds/transcripts/testing/test_tree.h"
#include "kinds/transcripts/verbs/copy.h"
#include "kinds/transcripts/verbs/keeper.h"

#include <gmock/gmock.h>

#include <fcntl.h>

namespace holdfast::transcripts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class EraseTest : public testing::Test {
 protected:
  EraseOptions forced() {
    EraseOptions options;
    options.force = true;
    options.backup_folder = backups_;
    options.machine_id = "me@here";
    return options;
  }
  Result<EraseResult> erase(const EraseOptions& options, const Progress& progress = {}) {
    return erase_session(home_, session_, options, TestHome::kNow, progress);
  }
  // Refused, and nothing has changed.
  Error refused(const EraseOptions& options) {
    const auto before = tree_of(files_.folder(), true);
    const auto result = erase(options);
    EXPECT_FALSE(result);
    EXPECT_EQ(tree_of(files_.folder(), true), before);
    EXPECT_THAT(tree_of(backups_), IsEmpty());
    return result ? Error{} : result.error();
  }
  // Without a store: nothing but the disk remembers.
  Keeper keeper() {
    KeeperOptions options;
    options.data_folder = files_.outside();
    options.clock = std::make_shared<ManualClock>(TestHome::kNow);
    options.store = [](bool) -> Result<session::Store*> { return fail(ErrorKind::not_found, "no store"); };
    return {Homes::open(files_.folder(), files_.outside() + "/.codex").value(), std::move(options)};
  }
  std::vector<std::string> files_left() {
    std::vector<std::string> left;
    for (const auto& [path, content] : tree_of(files_.folder())) {
      if (content.starts_with("100")) left.push_back(path);
    }
    return left;
  }

  TestHome files_;
  FoundSession session_ = TestSession::write(files_);
  Home home_ = files_.home();
  std::string backups_ = files_.outside() + "/deleted";
};

TEST_F(EraseTest, Delete_8_5_EverythingGoesAndABackupStays) {
  const auto result = erase(forced());
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(files_left(), IsEmpty());
  EXPECT_EQ(result->backup_path, backups_ + "/" + TestSession::kId + "-20270115-080000.json");
  EXPECT_EQ(result->deleted_files.size(), 20U);
  EXPECT_EQ(result->counts.at(ArtifactKind::task_lock), 1U);
  EXPECT_EQ(result->undo_command, "holdfast restore --in-place " + result->backup_path);
  EXPECT_GT(result->size_freed, 100'000U);
  EXPECT_THAT(tree_of(files_.folder()), testing::Not(testing::Contains(testing::Key(HasSubstr(TestSession::kId)))));
  struct stat status{};
  ASSERT_EQ(::stat(result->backup_path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
}

TEST_F(EraseTest, Delete_2_UndoBringsEveryByteBack) {
  const auto before = tree_of(files_.folder());
  const auto result = erase(forced());
  ASSERT_TRUE(result) << result.error().message;
  auto archive = source_in_archive(Fd(::open(result->backup_path.c_str(), O_RDONLY | O_CLOEXEC)), "archive", files_.outside());
  ASSERT_TRUE(archive) << archive.error().message;
  CopyOptions options;
  options.in_place = true;
  options.trusted = true;
  options.current_folder = "/somewhere/else";
  const auto restored = copy_session(home_, **archive, options, TestHome::kNow);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(tree_of(files_.folder()), before);
}

TEST_F(EraseTest, Delete_1_3_AFileThatNoBackupCanHoldStaysAndStopsNothing) {
  const std::string backslash = TestSession::place().folder() + "/a\\b", bytes = TestSession::place().folder() + "/c\xFF";
  files_.write(backslash, "x");
  files_.write(bytes, "y");
  const auto result = erase(forced());
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(files_left(), ElementsAre(backslash, bytes));
  EXPECT_THAT(result->kept, ElementsAre(HasSubstr("a\\b: a name that a backup cannot hold"), HasSubstr("c\xEF\xBF\xBD: a name")));
}

TEST_F(EraseTest, Delete_2_WithoutBackup) {
  EraseOptions options = forced();
  options.no_backup = true;
  const auto result = keeper().erase(AnySession{session_}, options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->backup_path, "");
  EXPECT_EQ(result->undo_command, "");
  EXPECT_THAT(tree_of(backups_), IsEmpty());
  EXPECT_THAT(files_left(), IsEmpty());
}

// Whoever does not know whether it was done types it again.
TEST_F(EraseTest, P13ADeleteThatWasDoneIsToldWhenItIsTypedAgain) {
  const Error gone{ErrorKind::not_found, "no such session", "", ""};
  EXPECT_FALSE(keeper().finished_erase({}, TestSession::kId, forced(), gone)) << "nothing tells of one";
  const auto first = erase(forced());
  ASSERT_TRUE(first) << first.error().message;
  const std::string prefix = std::string(TestSession::kId).substr(0, 8);
  const auto again = keeper().finished_erase({}, prefix, forced(), gone);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->session_id, TestSession::kId);
  EXPECT_EQ(again->undo_command, first->undo_command);
  EXPECT_THAT(again->deleted_files, IsEmpty());
  EXPECT_THAT(again->warnings, testing::Contains(HasSubstr("gone already")));
  EraseOptions options = forced();
  options.no_backup = true;
  const auto unsure = keeper().finished_erase({}, prefix, options, gone);
  ASSERT_TRUE(unsure);
  EXPECT_THAT(unsure->warnings, testing::Contains(HasSubstr("is kept: " + first->backup_path)));
  EXPECT_THAT(tree_of(backups_), SizeIs(1)) << "somebody may have meant to keep it";
  options.no_backup = false;
  options.dry_run = true;
  EXPECT_FALSE(keeper().finished_erase({}, prefix, options, gone));
  EXPECT_FALSE(keeper().finished_erase({}, "", forced(), gone)) << "which one would be a guess";
  EXPECT_EQ(keeper().finished_erase({}, prefix, forced(), {ErrorKind::ambiguous, "two", "", ""}).error().kind,
            ErrorKind::ambiguous);
}

TEST_F(EraseTest, Delete_15_TwoInOneSecondHaveTwoBackups) {
  ASSERT_TRUE(erase(forced()));
  TestSession::write(files_);
  const auto second = erase(forced());
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_THAT(second->backup_path, testing::EndsWith("-20270115-080000-2.json"));
  EXPECT_THAT(tree_of(backups_), SizeIs(2));
}

TEST_F(EraseTest, Delete_2_NativeNeedsForce) {
  EraseOptions options = forced();
  options.force = false;
  EXPECT_EQ(refused(options).kind, ErrorKind::refused);
  options.made_by_us = true;  // whatever the lineage says, the id is not one of ours
  EXPECT_EQ(refused(options).kind, ErrorKind::refused);
  options.dry_run = true;
  EXPECT_TRUE(erase(options));
}

TEST_F(EraseTest, Delete_15_AUuid7AloneIsNotOurs) {
  EXPECT_TRUE(is_native_id(TestSession::kId));
  EXPECT_TRUE(is_native_id("not a uuid"));
  EXPECT_FALSE(is_native_id("0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"));
  files_.write("projects/-p/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b.jsonl", "{}\n");
  session_ = find_session(home_, "0190a1b2").value();
  EraseOptions options = forced();
  options.force = false;
  const Millis later = session_.mtime + 60'000;
  EXPECT_EQ(erase_session(home_, session_, options, later).error().kind, ErrorKind::refused);
  options.made_by_us = true;
  const auto result = erase_session(home_, session_, options, later);
  EXPECT_TRUE(result) << result.error().message;
}

TEST_F(EraseTest, Delete_3_TheCallersOwnSessionIsRefused) {
  EraseOptions options = forced();
  options.caller_sessions = {TestSession::kId};
  EXPECT_EQ(refused(options).kind, ErrorKind::refused);
}

TEST_F(EraseTest, Delete_8_7_ASessionInUseIsRefused) {
  files_.append(TestSession::place().transcript(), "{}\n");
  session_ = find_session(home_, TestSession::kId).value();
  const auto before = tree_of(files_.folder(), true);
  const auto result = erase_session(home_, session_, forced(), session_.mtime + 5'000);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::refused);
  EXPECT_THAT(result.error().message, HasSubstr("in use"));
  EXPECT_EQ(tree_of(files_.folder(), true), before);
  EraseOptions dry = forced();
  dry.dry_run = true;
  const auto shown = erase_session(home_, session_, dry, session_.mtime + 5'000);
  ASSERT_TRUE(shown);
  EXPECT_TRUE(shown->was_running);
  EXPECT_THAT(shown->warnings, ElementsAre(HasSubstr("in use")));
}

TEST_F(EraseTest, Delete_8_5_AppendedWhileTheBackupIsMade) {
  bool appended = false;
  const auto append_once = [&](std::string_view, std::uint64_t, std::uint64_t) {
    if (!std::exchange(appended, true)) files_.append(TestSession::place().transcript(), "{\"more\":1}\n");
    return true;
  };
  const auto result = erase(forced(), append_once);
  ASSERT_TRUE(appended);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::conflict);
  EXPECT_THAT(files_left(), SizeIs(20));
  EXPECT_THAT(tree_of(backups_), IsEmpty());
}

TEST_F(EraseTest, Delete_8_5_APlanThatAnotherSessionUsesIsKept) {
  files_.write("projects/-other/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b.jsonl",
               "{\"text\":\"\\\"slug\\\":\\\"other\\\"\"}\n" + TestSession::record(""));
  const auto result = erase(forced());
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(result->kept, ElementsAre(HasSubstr("plans/brave-new-plan.md")));
  EXPECT_EQ(files_.read("plans/brave-new-plan.md"), "# plan");
}

TEST_F(EraseTest, P16ThePlanOfTwoIsInTheBackupOfTheFirst) {
  const std::string other = "projects/-other/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b.jsonl";
  files_.write(other, TestSession::record(""));
  const auto before = tree_of(files_.folder());
  const auto result = erase(forced());
  ASSERT_TRUE(result) << result.error().message;
  // The other one goes, too, and takes the plan along.
  std::filesystem::remove(files_ / "plans/brave-new-plan.md");
  auto archive = source_in_archive(Fd(::open(result->backup_path.c_str(), O_RDONLY | O_CLOEXEC)), "archive", files_.outside());
  ASSERT_TRUE(archive) << archive.error().message;
  CopyOptions options;
  options.in_place = true;
  options.trusted = true;
  ASSERT_TRUE(copy_session(home_, **archive, options, TestHome::kNow));
  EXPECT_EQ(tree_of(files_.folder()), before);
}

TEST_F(EraseTest, Delete_8_5_APlanThatIsOnlySpokenOfGoes) {
  files_.write("projects/-other/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b.jsonl",
               "{\"message\":{\"slug\":\"brave-new-plan\"},\"text\":\"brave-new-plan\"}\n");
  const auto result = erase(forced());
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(result->kept, IsEmpty());
}

TEST_F(EraseTest, Delete_2_TheSameIdInTwoProjectsNeedsTheFlag) {
  EraseOptions options = forced();
  options.cross_session_artifacts = true;
  EXPECT_EQ(refused(options).kind, ErrorKind::invalid) << "out of place";
  files_.write(std::string("projects/-other/") + TestSession::kId + ".jsonl", "{}\n");
  options.cross_session_artifacts.reset();
  EXPECT_EQ(refused(options).kind, ErrorKind::invalid) << "missing";
  options.cross_session_artifacts = false;
  const auto result = erase(options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(files_.read(std::string("tasks/") + TestSession::kId + "/1.json"), R"({"id":"1"})");
  EXPECT_EQ(files_.read("plans/brave-new-plan.md"), "# plan");
  EXPECT_EQ(home_.stat(TestSession::place().transcript()).value(), std::nullopt);
  EXPECT_TRUE(home_.stat(std::string("projects/-other/") + TestSession::kId + ".jsonl").value());
}

TEST_F(EraseTest, DryRunChangesNothing) {
  const auto before = tree_of(files_.folder(), true);
  EraseOptions options = forced();
  options.dry_run = true;
  const auto result = erase(options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(result->deleted_files, SizeIs(20));
  EXPECT_EQ(result->custom_title, "A title");
  EXPECT_EQ(tree_of(files_.folder(), true), before);
  EXPECT_THAT(tree_of(backups_), IsEmpty());
}

TEST_F(EraseTest, Delete_3_ResultFields) {
  const JsonObject json = to_json(erase(forced()).value());
  for (const char* const field :
       {"session_id", "was_dry_run", "success", "error_message", "backup_path", "files_deleted", "size_freed_bytes",
        "deleted_files", "agent_files_deleted", "tool_results_deleted", "directories_removed", "duration_ms", "deleted_at"}) {
    EXPECT_TRUE(json.contains(field)) << field;
  }
  EXPECT_EQ(find_int(json, "files_deleted"), 20);
}

}  // namespace
}  // namespace holdfast::transcripts
