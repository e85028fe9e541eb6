#include "kinds/transcripts/testing/test_session.h"
#include "kinds/transcripts/testing/test_tree.h"
#include "kinds/transcripts/verbs/copy.h"

#include <gmock/gmock.h>

namespace holdfast::transcripts {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;

constexpr const char* kCloneId = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
constexpr const char* kCloneSuffix = "2e3f4a5b";

class CloneTest : public testing::Test {
 protected:
  CopyResult clone(const CopyOptions& options = with_id()) {
    auto result = copy_session(home_, *source_on_disk(home_, source_.place), options, TestHome::kNow);
    EXPECT_TRUE(result) << result.error().message;
    return result.value_or(CopyResult{});
  }
  static CopyOptions with_id() {
    CopyOptions options;
    options.new_session_id = kCloneId;
    return options;
  }
  std::string in_clone(const std::string& name) { return TestSession::in_project(std::string(kCloneId) + "/" + name); }
  mode_t mode_of(const std::string& path) { return home_.stat(path).value().value().st_mode & 07777; }

  TestHome files_;
  FoundSession source_ = TestSession::write(files_);
  Home home_ = files_.home();
};

TEST_F(CloneTest, Clone_5_EveryArtifactGoesToItsPlace) {
  const auto before = tree_of(files_.folder());
  const CopyResult result = clone();
  auto added = tree_of(files_.folder());
  for (const auto& [path, content] : before) added.erase(path);
  std::vector<std::string> files;
  for (const auto& [path, content] : added) {
    if (content.starts_with("100")) files.push_back(path);
  }
  const std::string id = kCloneId;
  EXPECT_THAT(
      files, testing::UnorderedElementsAre(
                 TestSession::in_project(id + ".jsonl"),
                 TestSession::in_project(std::string("agent-5271c147-clone-") + kCloneSuffix + ".jsonl"),
                 in_clone("subagents/agent-a123.jsonl"), in_clone("subagents/agent-a123.meta.json"),
                 in_clone("subagents/workflows/wf_1/agent-a9.jsonl"), in_clone("subagents/workflows/wf_1/journal.jsonl"),
                 in_clone("workflows/wf_1.json"), in_clone("workflows/scripts/n-wf_1.js"), in_clone("tool-results/b1.txt"),
                 in_clone("tool-results/pdf-1/page-01.jpg"), in_clone("session-memory/summary.md"), in_clone("unknown/thing.bin"),
                 std::string("plans/brave-new-plan-clone-") + kCloneSuffix + ".md", "todos/" + id + "-agent-" + id + ".json",
                 "tasks/" + id + "/1.json", "tasks/" + id + "/.highwatermark", "session-env/" + id + "/hook-1.sh",
                 "file-history/" + id + "/0123456789abcdef@v1", "debug/" + id + ".txt"))
      << "and no .lock";
  EXPECT_THAT(added, Contains(Key(in_clone("empty"))));
  EXPECT_EQ(files_.read(in_clone("tool-results/b1.txt")), files_.read(TestSession::in_folder("tool-results/b1.txt")));
  EXPECT_EQ(result.files.at(ArtifactKind::tool_result), 2U);
  EXPECT_EQ(result.files.at(ArtifactKind::main_transcript), 1U);
  EXPECT_EQ(result.slug_mappings, 1U);
  EXPECT_EQ(result.agent_id_mappings, 1U);
  EXPECT_EQ(result.main_records, 4U);
  EXPECT_EQ(result.agent_records, 3U);
  EXPECT_THAT(result.agent_files, testing::SizeIs(3));
}

TEST_F(CloneTest, Clone_8_8_TheSourceIsNotTouched) {
  auto before = tree_of(files_.folder(), true);
  clone();
  for (const auto& [path, content] : tree_of(files_.folder(), true)) {
    if (before.contains(path)) {
      EXPECT_EQ(content, before[path]) << path;
    }
    before.erase(path);
  }
  EXPECT_THAT(before, IsEmpty());
}

TEST_F(CloneTest, Clone_5_TheTranscriptIsRewrittenAndEndsInANewline) {
  clone();
  const std::string text = files_.read(TestSession::in_project(std::string(kCloneId) + ".jsonl"));
  EXPECT_THAT(text, Not(HasSubstr(TestSession::kId)));
  EXPECT_THAT(text, HasSubstr(std::string("A title (clone-") + kCloneSuffix + ")"));
  EXPECT_THAT(text, HasSubstr(std::string("\"slug\":\"brave-new-plan-clone-") + kCloneSuffix + "\""));
  EXPECT_THAT(text, HasSubstr("\"n\":1.10}\nnot JSON at all\n\n")) << "what is not ours to change stays, byte for byte";
  EXPECT_TRUE(text.ends_with("{\"torn\":\n"));
}

TEST_F(CloneTest, Clone_1_3_TimesAreFreshAndModesAreTheSource) {
  clone();
  const auto status = home_.stat(TestSession::in_project(std::string(kCloneId) + ".jsonl")).value().value();
  EXPECT_GT(status.st_mtim.tv_sec, 1'700'000'000);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
  EXPECT_EQ(mode_of(in_clone("tool-results/b1.txt")), 0644U);
  EXPECT_EQ(mode_of(in_clone("tool-results")), 0750U);
}

TEST_F(CloneTest, Clone_6_ToAnotherProjectPathsFollow) {
  CopyOptions options = with_id();
  options.target_project = files_.outside() + "/other";
  const CopyResult result = clone(options);
  EXPECT_EQ(result.project_path, *options.target_project);
  EXPECT_TRUE(result.paths_translated);
  const std::string text = read_file(result.main_session_file).value();
  EXPECT_THAT(text, HasSubstr("\"cwd\":\"" + *options.target_project + "/sub\""));
  EXPECT_THAT(text, HasSubstr("\"file\":\"" + *options.target_project + "/x\""));
  EXPECT_THAT(text, HasSubstr("see /home/dev/proj/a.txt")) << "what was said stays";
  EXPECT_EQ(result.resume_command, "cd " + *options.target_project + " && claude --resume " + kCloneId);
}

TEST_F(CloneTest, Clone_6_WithoutTranslationIdsStillChange) {
  CopyOptions options = with_id();
  options.target_project = files_.outside() + "/other";
  options.level = PathLevel::none;
  const CopyResult result = clone(options);
  EXPECT_FALSE(result.paths_translated);
  const std::string text = read_file(result.main_session_file).value();
  EXPECT_THAT(text, HasSubstr("\"cwd\":\"/home/dev/proj/sub\""));
  EXPECT_THAT(text, Not(HasSubstr(TestSession::kId)));
}

TEST_F(CloneTest, Clone_2_ExistingPathsAreNamedAndNothingIsWritten) {
  for (const char* const name : {"1.json", ".highwatermark"})
    files_.write(std::string("tasks/") + kCloneId + "/" + name, "theirs");
  files_.write(std::string("debug/") + kCloneId + ".txt", "theirs");
  const auto before = tree_of(files_.folder(), true);
  const auto result = copy_session(home_, *source_on_disk(home_, source_.place), with_id(), TestHome::kNow);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::conflict);
  EXPECT_THAT(result.error().message, testing::AllOf(HasSubstr("3 of 19 files"), HasSubstr("/1.json"), HasSubstr("debug/")));
  EXPECT_EQ(tree_of(files_.folder(), true), before);
}

TEST_F(CloneTest, Clone_5_UpToCutsBehindTheRecord) {
  CopyOptions options = with_id();
  options.up_to = TestSession::kUuid;
  const CopyResult result = clone(options);
  EXPECT_EQ(result.main_records, 2U);
  EXPECT_THAT(read_file(result.main_session_file).value(), Not(HasSubstr("not JSON")));
  options.up_to = "aaaaaaaa-0000-4000-8000-00000000ffff";
  options.new_session_id.clear();
  const auto before = tree_of(files_.folder(), true);
  EXPECT_EQ(copy_session(home_, *source_on_disk(home_, source_.place), options, TestHome::kNow).error().kind,
            ErrorKind::not_found);
  EXPECT_EQ(tree_of(files_.folder(), true), before);
}

TEST_F(CloneTest, DryRunWritesNothingAndCountsTheSame) {
  const auto before = tree_of(files_.folder(), true);
  CopyOptions options = with_id();
  options.dry_run = true;
  options.target_project = files_.outside() + "/other";
  const CopyResult dry = clone(options);
  EXPECT_EQ(tree_of(files_.folder(), true), before);
  EXPECT_TRUE(dry.was_dry_run);
  EXPECT_THAT(dry.rewritten.samples, Not(IsEmpty()));
  options.dry_run = false;
  const CopyResult real = clone(options);
  EXPECT_EQ(dry.files, real.files);
  EXPECT_EQ(dry.bytes, real.bytes);
  EXPECT_EQ(dry.rewritten.paths, real.rewritten.paths);
}

TEST_F(CloneTest, Clone_15_TwoAtOnceDiffer) {
  const CopyResult first = clone({}), second = clone({});
  EXPECT_NE(first.new_session_id, second.new_session_id);
  EXPECT_TRUE(home_.stat(TestSession::in_project(second.new_session_id + ".jsonl")).value());
}

TEST_F(CloneTest, StoppingLeavesNothing) {
  const auto before = tree_of(files_.folder(), true);
  const auto stop = [](std::string_view, std::uint64_t done, std::uint64_t) { return done < 1000; };
  EXPECT_EQ(copy_session(home_, *source_on_disk(home_, source_.place), {}, TestHome::kNow, stop).error().kind,
            ErrorKind::cancelled);
  EXPECT_EQ(tree_of(files_.folder(), true), before);
}

TEST_F(CloneTest, Clone_3_ResultFields) {
  const JsonObject json = to_json(clone());
  for (const char* const field : {"new_session_id",
                                  "original_session_id",
                                  "restored_at",
                                  "project_path",
                                  "was_in_place",
                                  "main_session_file",
                                  "agent_files",
                                  "main_records_restored",
                                  "agent_records_restored",
                                  "agent_metadata_restored",
                                  "plan_files_restored",
                                  "tool_results_restored",
                                  "todos_restored",
                                  "session_env_restored",
                                  "tasks_restored",
                                  "session_memory_restored",
                                  "debug_log_restored",
                                  "resume_command",
                                  "paths_translated",
                                  "slug_mappings_applied",
                                  "agent_id_mappings_applied",
                                  "source_machine_id",
                                  "custom_title"}) {
    EXPECT_TRUE(json.contains(field)) << field;
  }
  EXPECT_EQ(find_int(json, "tasks_restored"), 2);
  EXPECT_EQ(find_bool(json, "session_memory_restored"), true);
  EXPECT_TRUE(json.at("source_machine_id").is_null());
  EXPECT_EQ(find_string(json, "custom_title"), std::string("A title (clone-") + kCloneSuffix + ")");
}

TEST(ResumeCommand, Section15_PathsWithBlanksAndQuotesCanBePasted) {
  EXPECT_EQ(resume_command("/home/u/p", "x"), "cd /home/u/p && claude --resume x");
  EXPECT_EQ(resume_command("/home/u/it's here", "x"), R"(cd '/home/u/it'\''s here' && claude --resume x)");
  EXPECT_EQ(resume_command("/home/u/$(rm -rf)\n;", "x"), "cd '/home/u/$(rm -rf)\n;' && claude --resume x");
  EXPECT_EQ(resume_command("", "x"), "claude --resume x");
  EXPECT_EQ(resume_command("-p", "x"), "cd -- -p && claude --resume x");
  EXPECT_EQ(shell_quoted(""), "''");
}

}  // namespace
}  // namespace holdfast::transcripts
