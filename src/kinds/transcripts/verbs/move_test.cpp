#include "kinds/transcripts/verbs/move.h"

#include "kinds/transcripts/testing/test_session.h"
#include "kinds/transcripts/testing/test_tree.h"

#include <gmock/gmock.h>

namespace holdfast::transcripts {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::SizeIs;

class MoveTest : public testing::Test {
 protected:
  MoveOptions to(const std::string& project) {
    MoveOptions options;
    options.target_project = project;
    options.force = true;
    options.backup_folder = backups_;
    return options;
  }
  Result<MoveResult> move(const MoveOptions& options) { return move_session(home_, session_, options, TestHome::kNow); }

  TestHome files_;
  FoundSession session_ = TestSession::write(files_);
  Home home_ = files_.home();
  std::string backups_ = files_.outside() + "/deleted";
};

TEST_F(MoveTest, Move_2_TheProjectPartGoesAndTheRestStays) {
  const auto before = tree_of(files_.folder(), true);
  const auto result = move(to("/home/dev/other"));
  ASSERT_TRUE(result) << result.error().message;
  auto after = tree_of(files_.folder(), true);
  EXPECT_THAT(after, Not(Contains(Key(TestSession::place().transcript()))));
  EXPECT_THAT(after, Not(Contains(Key(TestSession::place().folder()))));
  EXPECT_THAT(after, Contains(Key("projects/-home-dev-other/agent-5271c147.jsonl")));
  EXPECT_THAT(after, Contains(Key(std::string("projects/-home-dev-other/") + TestSession::kId + "/empty")));
  for (const auto& [path, content] : before) {
    if (!path.starts_with("projects")) {
      EXPECT_EQ(after.at(path), content) << path;
    }
  }
  EXPECT_EQ(result->files_moved, 12U);
  EXPECT_EQ(result->files_deleted, 12U);
  EXPECT_EQ(result->source_project, TestSession::kProject);
  EXPECT_EQ(result->target_project, "/home/dev/other");
  EXPECT_TRUE(result->paths_translated);
  EXPECT_EQ(result->resume_command, std::string("cd /home/dev/other && claude --resume ") + TestSession::kId);
  EXPECT_THAT(tree_of(backups_), SizeIs(1));
}

TEST_F(MoveTest, Move_1_3_AFileThatNoBackupCanHoldStaysAndStopsNothing) {
  const std::string odd = TestSession::place().folder() + "/a\\b";
  files_.write(odd, "x");
  const auto result = move(to("/home/dev/other"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(files_.read(odd), "x");
  EXPECT_THAT(result->warnings, Contains(HasSubstr("a\\b stays")));
}

TEST_F(MoveTest, Move_5_IdsStayAndPathsFollow) {
  const std::string before = files_.read(TestSession::place().transcript());
  ASSERT_TRUE(move(to("/home/dev/other")));
  const std::string text = files_.read(std::string("projects/-home-dev-other/") + TestSession::kId + ".jsonl");
  EXPECT_THAT(text, HasSubstr("\"cwd\":\"/home/dev/other/sub\""));
  EXPECT_THAT(text, HasSubstr("\"slug\":\"brave-new-plan\""));
  EXPECT_THAT(text, HasSubstr("\"customTitle\":\"A title\""));
  EXPECT_THAT(text, HasSubstr("see /home/dev/proj/a.txt"));
  EXPECT_TRUE(text.ends_with("{\"torn\":")) << "a move adds nothing";
}

TEST_F(MoveTest, ThereAndBackIsTheSame) {
  const auto before = tree_of(files_.folder() + "/projects/" + TestSession::kFolder);
  ASSERT_TRUE(move(to("/home/dev/other")));
  session_ = find_session(home_, TestSession::kId).value();
  const auto back = move_session(home_, session_, to(TestSession::kProject), session_.mtime + 60'000);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(tree_of(files_.folder() + "/projects/" + TestSession::kFolder), before);
}

TEST_F(MoveTest, Move_2_RefusalsChangeNothing) {
  const auto before = tree_of(files_.folder(), true);
  EXPECT_EQ(move(to("")).error().kind, ErrorKind::invalid);
  MoveOptions options = to("/home/dev/other");
  options.force = false;
  EXPECT_EQ(move(options).error().kind, ErrorKind::refused) << "native";
  options = to("/home/dev/other");
  options.caller_sessions = {TestSession::kId};
  EXPECT_EQ(move(options).error().kind, ErrorKind::refused) << "the caller's own";
  EXPECT_EQ(tree_of(files_.folder(), true), before);
  EXPECT_THAT(tree_of(backups_), IsEmpty());
}

TEST_F(MoveTest, P12AMoveToWhereItIsChangesNothing) {
  const auto before = tree_of(files_.folder(), true);
  const auto result = move(to(TestSession::kProject));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->files_moved, 0U);
  EXPECT_EQ(result->backup_path, "");
  EXPECT_THAT(result->warnings, Contains(HasSubstr("already")));
  EXPECT_EQ(tree_of(files_.folder(), true), before);
  EXPECT_THAT(tree_of(backups_), IsEmpty());
}

TEST_F(MoveTest, P12TheFolderCanBeNamedBecausePathsShareOne) {
  MoveOptions options = to("/home/dev/a.b");
  options.target_folder = "-home-dev-a_b";
  ASSERT_TRUE(move(options));
  EXPECT_TRUE(home_.stat(std::string("projects/-home-dev-a_b/") + TestSession::kId + ".jsonl").value());
}

TEST_F(MoveTest, Move_2_TheIdInTheTargetIsAConflict) {
  files_.write(std::string("projects/-home-dev-other/") + TestSession::kId + ".jsonl", "theirs");
  const auto before = tree_of(files_.folder(), true);
  EXPECT_EQ(move(to("/home/dev/other")).error().kind, ErrorKind::conflict);
  EXPECT_EQ(tree_of(files_.folder(), true), before);
}

TEST_F(MoveTest, DryRunAndNoBackup) {
  const auto before = tree_of(files_.folder(), true);
  MoveOptions options = to("/home/dev/other");
  options.dry_run = true;
  const auto dry = move(options);
  ASSERT_TRUE(dry) << dry.error().message;
  EXPECT_EQ(tree_of(files_.folder(), true), before);
  EXPECT_THAT(dry->rewritten.samples, Not(IsEmpty()));
  options.dry_run = false;
  options.no_backup = true;
  const auto result = move(options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->files_moved, dry->files_moved);
  EXPECT_EQ(result->backup_path, "");
  EXPECT_THAT(tree_of(backups_), IsEmpty());
}

TEST_F(MoveTest, Move_3_ResultFields) {
  const JsonObject json = to_json(move(to("/home/dev/other")).value());
  for (const char* const field :
       {"session_id", "source_project", "target_project", "files_moved", "files_deleted", "agent_files_moved",
        "tool_results_moved", "paths_translated", "was_running", "was_terminated", "backup_path", "custom_title",
        "resume_command", "was_dry_run", "duration_ms", "moved_at", "warnings"}) {
    EXPECT_TRUE(json.contains(field)) << field;
  }
}

TEST_F(MoveTest, Relocate_11_AllSessionsOfTheFolderAndBelow) {
  const auto write = [&](const std::string& folder, const std::string& id, const std::string& cwd) {
    files_.write("projects/" + folder + "/" + id + ".jsonl", "{\"cwd\":\"" + cwd + "\",\"main\":\"/home/dev/proj/x\"}\n");
  };
  write("-home-dev-proj", "11111111-0000-4000-8000-000000000001", "/home/dev/proj");
  write("-home-dev-proj-w-tree", "11111111-0000-4000-8000-000000000002", "/home/dev/proj/w/tree");
  write("-home-dev-proj-foo", "11111111-0000-4000-8000-000000000003", "/home/dev/proj-foo");
  write("-else", "11111111-0000-4000-8000-000000000004", "/else");
  const Millis later = find_session(home_, "11111111-0000-4000-8000-000000000004").value().mtime + 60'000;
  const auto result = relocate_project(home_, "/home/dev/proj", "/home/dev/renamed", to(""), later);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(result->moved, SizeIs(3));
  EXPECT_THAT(result->failed, IsEmpty());
  EXPECT_TRUE(home_.stat(std::string("projects/-home-dev-renamed/") + TestSession::kId + ".jsonl").value());
  EXPECT_EQ(files_.read("projects/-home-dev-renamed-w-tree/11111111-0000-4000-8000-000000000002.jsonl"),
            "{\"cwd\":\"/home/dev/renamed/w/tree\",\"main\":\"/home/dev/renamed/x\"}\n");
  EXPECT_TRUE(home_.stat("projects/-home-dev-proj-foo/11111111-0000-4000-8000-000000000003.jsonl").value());
}

TEST_F(MoveTest, Relocate_11_OneThatCannotBeMovedDoesNotStopTheOthers) {
  const std::string busy = "11111111-0000-4000-8000-000000000001";
  files_.write("projects/-home-dev-proj/" + busy + ".jsonl", "{\"cwd\":\"/home/dev/proj\"}\n");
  const Millis now = find_session(home_, busy).value().mtime + 1'000;
  const auto result = relocate_project(home_, "/home/dev/proj", "/home/dev/renamed", to(""), now);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(result->moved, SizeIs(1));
  ASSERT_THAT(result->failed, SizeIs(1));
  EXPECT_EQ(result->failed[0].session_id, busy);
  EXPECT_EQ(result->failed[0].error.kind, ErrorKind::refused);
  EXPECT_EQ(relocate_project(home_, "/a", "/a", to(""), now).error().kind, ErrorKind::invalid);
  EXPECT_EQ(relocate_project(home_, "/a", "/a/b", to(""), now).error().kind, ErrorKind::invalid);
}

}  // namespace
}  // namespace holdfast::transcripts
