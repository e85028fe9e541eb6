#include "base/ids.h"
#include "kinds/transcripts/products/codex/codex.h"
#include "kinds/transcripts/testing/test_home.h"
#include "kinds/transcripts/testing/test_tree.h"
#include "kinds/transcripts/verbs/copy.h"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <sys/stat.h>

namespace holdfast::transcripts {
namespace {

using testing::HasSubstr;

const std::string kSourceId = "0c0de0c0-1111-4222-8333-444455556666";
const std::string kNameBegin = "rollout-2026-11-15T03-06-52-";
const std::string kDayFolder = "sessions/2026/11/15/";
const std::string kSourcePath = kDayFolder + kNameBegin + kSourceId + ".jsonl";
constexpr Millis kLater = 2'000'000'000'000;  // long after any file here was written

std::string rollout_text(const std::string& id, const std::string& cwd) {
  return R"({"timestamp":"2026-11-15T03:06:52.000Z","type":"session_meta","payload":{"id":")" + id + R"(","cwd":")" + cwd +
         R"(","originator":"codex_cli_rs","forked_from_id":"x"}})" + "\n" +
         R"({"timestamp":"2026-11-15T03:06:53.000Z","type":"turn_context","payload":{"cwd":")" + cwd + R"(\/sub","n":1.10}})" +
         "\n" + R"({"type":"session_meta","payload":{"id":"00000000-0000-4000-8000-000000000001","cwd":"/other"}})" + "\n" +
         R"({"type":"event_msg","payload":{"type":"user_message","message":"in /home/dev/p see )" + kSourceId + R"("}})" + "\n" +
         R"({"torn":")";
}

CodexSession found_codex(const Home& home, const std::string& id = kSourceId) {
  return find_codex_session(home, id).value();
}

Result<CopyResult> clone_codex(const Home& home, const CopyOptions& options) {
  return copy_codex(home, *source_on_disk(home, AnySession{found_codex(home)}), options, kLater);
}

CopyOptions options_for(std::optional<std::string> target, std::vector<std::pair<std::string, std::string>> maps = {},
                        PathLevel level = PathLevel::fields, bool dry_run = false) {
  CopyOptions options;
  options.target_project = std::move(target);
  options.maps = std::move(maps);
  options.level = level;
  options.dry_run = dry_run;
  return options;
}

TEST(CodexCopy, Codex_12_ADryRunDoesEverythingButTheWriting) {
  const TestHome test;
  test.write(kSourcePath, rollout_text(kSourceId, "/home/dev/p"));
  const Home home = test.home();
  const auto before = tree_of(test.folder());
  const auto result = clone_codex(home, options_for(test.outside(), {}, PathLevel::fields, true));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->was_dry_run);
  EXPECT_EQ(result->main_records, 4U);
  EXPECT_EQ(result->rewritten.paths, 2U);
  EXPECT_EQ(tree_of(test.folder()), before);
}

TEST(CodexCopy, Codex_12_PathsByMapsOrNotAtAll) {
  const TestHome test;
  test.write(kSourcePath, rollout_text(kSourceId, "/home/dev/p"));
  const Home home = test.home();
  const auto mapped = clone_codex(home, options_for({}, {{"/home/dev", "/srv"}}));
  ASSERT_TRUE(mapped) << mapped.error().message;
  EXPECT_TRUE(mapped->paths_translated);
  EXPECT_EQ(mapped->rewritten.paths, 2U);
  const auto kept = clone_codex(home, options_for(test.outside(), {{"/home/dev", "/srv"}}, PathLevel::none));
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_FALSE(kept->paths_translated);
  EXPECT_EQ(kept->rewritten.paths, 0U);
}

TEST(CodexCopy, Codex_12_CloneChangesIdAndCwdAlone) {
  const TestHome test;
  test.write(kSourcePath, rollout_text(kSourceId, "/home/dev/p"));
  const Home home = test.home();
  const std::string target = test.outside();
  const auto result = clone_codex(home, options_for(target));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(is_uuid(result->new_session_id));
  EXPECT_EQ(result->resume_command, "codex resume " + result->new_session_id);
  EXPECT_EQ(result->main_session_file, test / (kDayFolder + kNameBegin + result->new_session_id + ".jsonl"));
  EXPECT_EQ(result->main_records, 4U);
  EXPECT_EQ(result->rewritten.ids, 1U);
  EXPECT_EQ(result->rewritten.paths, 2U);
  std::string expected = rollout_text(kSourceId, "/home/dev/p") + "\n";
  expected.replace(expected.find(kSourceId), kSourceId.size(), result->new_session_id);
  const std::string project = result->project_path;
  expected.replace(expected.find("/home/dev/p"), 11, project);
  std::string escaped;  // the second string spells its slashes "\/"
  for (const char c : project) escaped += c == '/' ? std::string("\\/") : std::string(1, c);
  expected.replace(expected.find("/home/dev/p"), 11, escaped);
  EXPECT_EQ(test.read(kDayFolder + kNameBegin + result->new_session_id + ".jsonl"), expected);
  EXPECT_EQ(test.read(kSourcePath), rollout_text(kSourceId, "/home/dev/p")) << "the source is not touched";
}

TEST(CodexCopy, Codex_12_CloneOfAnArchivedOneIsInUse) {
  const TestHome test;
  test.write("archived_sessions/" + kNameBegin + kSourceId + ".jsonl", rollout_text(kSourceId, "/home/dev/p"));
  const Home home = test.home();
  const auto result = clone_codex(home, {});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->project_path, "/home/dev/p");
  EXPECT_FALSE(result->paths_translated);
  EXPECT_EQ(found_codex(home, result->new_session_id).path, kDayFolder + kNameBegin + result->new_session_id + ".jsonl");
}

// Erased, restored in place: the same bytes at the same place. And as a copy beside it.
TEST(CodexCopy, Codex_12_EraseAndBack) {
  const TestHome test;
  test.write(kSourcePath, rollout_text(kSourceId, "/home/dev/p"));
  const Home home = test.home();
  EraseOptions options;
  options.backup_folder = test.outside() + "/deleted";
  const auto refused = erase_codex(home, found_codex(home), options, kLater);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
  options.force = true;
  options.dry_run = true;
  ASSERT_TRUE(erase_codex(home, found_codex(home), options, kLater));
  EXPECT_EQ(test.read(kSourcePath), rollout_text(kSourceId, "/home/dev/p"));
  options.dry_run = false;
  const auto erased = erase_codex(home, found_codex(home), options, kLater);
  ASSERT_TRUE(erased) << erased.error().message;
  EXPECT_EQ(find_codex_session(home, kSourceId).error().kind, ErrorKind::not_found);
  ASSERT_FALSE(erased->backup_path.empty());
  EXPECT_THAT(erased->undo_command, HasSubstr(erased->backup_path));

  const auto restore = [&](bool in_place) {
    CopyOptions wanted;
    wanted.in_place = in_place;
    const auto archive =
        source_in_archive(Fd(::open(erased->backup_path.c_str(), O_RDONLY | O_CLOEXEC)), "archive", test.outside()).value();
    return copy_codex(home, *archive, wanted, kLater);
  };
  const auto restored = restore(true);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_TRUE(restored->was_in_place);
  EXPECT_EQ(test.read(kSourcePath), rollout_text(kSourceId, "/home/dev/p"));

  const auto twice = restore(true);
  ASSERT_TRUE(twice) << twice.error().message;
  EXPECT_TRUE(twice->was_there);
  EXPECT_EQ(test.read(kSourcePath), rollout_text(kSourceId, "/home/dev/p"));
  test.write(kSourcePath, rollout_text(kSourceId, "/home/dev/p") + "{}\n");
  EXPECT_EQ(restore(true).error().kind, ErrorKind::conflict) << "somebody has gone on with it";
  test.write(kSourcePath, rollout_text(kSourceId, "/home/dev/p"));

  const auto copy = restore(false);
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_NE(copy->new_session_id, kSourceId);
  EXPECT_EQ(summarise_codex(home, found_codex(home, copy->new_session_id))->cwd, "/home/dev/p");
}

TEST(CodexCopy, Codex_8_7_OneJustWrittenToIsInUse) {
  const TestHome test;
  test.write(kSourcePath, rollout_text(kSourceId, "/home/dev/p"));
  const Home home = test.home();
  EraseOptions options;
  options.force = true;
  options.backup_folder = test.outside() + "/deleted";
  const CodexSession session = found_codex(home);
  const auto refused = erase_codex(home, session, options, session.mtime + 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
  options.dry_run = true;
  EXPECT_TRUE(erase_codex(home, session, options, session.mtime + 1)->was_running);
}

}  // namespace
}  // namespace holdfast::transcripts
